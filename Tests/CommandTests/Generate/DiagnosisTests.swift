@testable import PostbackVerification
@testable import Tampering
import JSON
import PostbackPipeline
import SKAdNetwork
import TestSupport
import Testing

@Suite struct `Diagnosis of a generated dump` {
  /// Edits of each kind in all versions. Edits that need a larger search are measured by the benchmark.
  private static let versions = ["--versions", "4.0=3,3.0=3,2.2=1,2.1=1,2.0=1,1.0=1,aak=2"]

  @Test(arguments: ["value", "pair", "letter-case", "white-space", "percent-encoding", "swap", "signature"])
  func `recovers each edit as the truth file has it`(_ kind: String) async throws {
    var options = ["--edit-kind", kind, "--edited", "0.1", "--forged", "0", "--malformed", "0", "--duplicate", "0"]
    if kind == "value" {
      for field in ["campaign-id", "did-win", "redownload", "fidelity-type", "postback-sequence-index", "version"]
        + ["ad-network-id", "app-id", "ad-network-identifier", "conversion-type", "advertised-item-identifier"]
      { options += ["--edit", field] }
    }
    let dump = try await GeneratedDump(count: 400, seed: 21, options: options + Self.versions)
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    var context = DiagnosisContext()
    var edited: [(record: [UInt8], truth: JSONObject)] = []
    for (line, truth) in zip(lines, dump.truth) {
      if truth["kind"] == .string("edited") { edited.append((line, truth)) } else { context.addGenuine(record: line) }
    }
    let diagnoser = try Diagnoser(try dump.trust(), context: context, budget: 20_000)
    let diagnoses = try await diagnoser.diagnose(edited.map(\.record), jobs: 2)
    #expect(edited.count > 20)
    for (diagnosis, (_, truth)) in zip(diagnoses, edited) {
      let line = try #require(truth.integer("line"))
      if kind == "signature" {
        #expect(diagnosis.code == "reencoded", "line \(line)")
      } else {
        let found = Set((diagnosis.recovery?.edits ?? []).map { [$0.field.name, $0.original, $0.arrived] })
        var expected: Set<[String?]> = [["field", "original", "edited"].map(truth.text)]
        if truth["further_field"] != nil {
          expected.insert(["further_field", "further_original", "further_edited"].map(truth.text))
        }
        #expect(found == expected, "line \(line)")
      }
    }
  }

  @Test func `recovers nothing from forgeries`() async throws {
    let options = ["--forged", "1", "--edited", "0", "--zero-filled", "0", "--malformed", "0", "--duplicate", "0"]
    let dump = try await GeneratedDump(count: 300, seed: 22, options: options + Self.versions)
    let diagnoser = try Diagnoser(try dump.trust(), budget: 100)
    let records = dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    for diagnosis in try await diagnoser.diagnose(records, jobs: 2) { #expect(diagnosis.recovery == nil) }
  }
}

extension GeneratedDump {
  /// Apple's keys and those of the dump.
  fileprivate func trust() throws -> TrustPolicy {
    var trust = try TrustPolicy.apple()
    for argument in keys where argument != "--trust-key" {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      try trust.add(parts[0], base64: parts[1])
    }
    return trust
  }
}

extension JSONObject {
  /// The text of a member; nil if it is null or absent.
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }
}
