import Foundation
import JSON
import SKAdNetwork
import TestSupport
import Testing

@testable import postback

@Suite struct `postback rejects --stolen-signatures` {
  /// Runs the command; its status must be 0.
  private func output(_ arguments: [String]) async throws -> [UInt8] {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(result.errorText)")
    return Array(result.output)
  }

  @Test func `finds every stolen signature of the truth, over two runs into one output`() async throws {
    let folder = try TemporaryFolder()
    _ = try await output([
      "generate", "--count", "3000", "--seed", "5", "--campaigns", "8", "--days", "7", "--reporting",
      folder.path("files"),
      "--fraud", "steal-signature,postbacks=60", "--out", folder.path("dump"), "--keys", folder.path("keys"), "--quiet",
    ])
    let truth = String(decoding: try folder.contents(of: "files/truth_fraud.csv"), as: UTF8.self)
    let stolen = Set(
      truth.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").last.map(String.init) }
    )
    #expect(stolen.count == 60)
    // The frauds come in a second run, after all postbacks whose signatures they carry.
    let numbers = Set(truth.split(separator: "\n").dropFirst().compactMap { Int($0.split(separator: ",")[1]) })
    let lines = try folder.contents(of: "dump").split(separator: UInt8(ascii: "\n"))
    for (name, wanted) in [("first", false), ("second", true)] {
      let those = lines.enumerated().filter { numbers.contains($0.offset + 1) == wanted }.map(\.element)
      try folder.makeFile(name, holding: Array(those.joined(separator: [UInt8(ascii: "\n")])))
      let keys = try folder.words(of: "keys")
      _ = try await output(["run", folder.path(name), "--out", folder.path("out"), "--quiet"] + keys)
    }
    let answer = try JSONValue(
      parsing: try await output(["rejects", folder.path("out"), "--stolen-signatures", "--json"])
    )
    let found = try #require(answer["stolen_signatures"])
    #expect(found["rejects"] == .integer(60))
    #expect(found["complete"] == .bool(true) && found["untested_postbacks"] == .integer(0))
    let thefts = try #require(found["thefts"]).array
    #expect(Set(thefts.compactMap { $0["transaction_id"]?.text }) == stolen)
    let owners = Set(thefts.compactMap { $0["owner"]?["transaction_id"]?.text })
    #expect(found["accepted_postbacks"] == .integer(owners.count))
    #expect(thefts.allSatisfy { $0["owner"]?["source_file"]?.text == folder.path("first") })
    #expect(thefts.allSatisfy { $0["source_file"]?.text == folder.path("second") })
    let senders = try #require(found["senders"]).array
    #expect(senders.reduce(0) { $0 + ($1["rejects"]?.integer ?? 0) } == 60)
    let text = String(
      decoding: try await output(["rejects", folder.path("out"), "--stolen-signatures"]),
      as: UTF8.self
    )
    #expect(text.contains("stolen signatures: 60 rejects carry the signatures of \(owners.count) accepted postbacks"))
  }

  @Test func `tells thefts from edited copies and from copies, and knows rows without signatures`() async throws {
    let (one, other) = (RealPostback.v3.object, RealPostback.v4.object)
    let dump = [
      one, other, one, one.with(["conversion-value": "1"]), one.with(["campaign-id": "7"]),
      one.with(["transaction-id": "\"mine\""]), one.with(["transaction-id": "\"mine\"", "app-id": "1"]),
      other.with(["attribution-signature": one["attribution-signature"]]),
    ]
    let folder = try TemporaryFolder()
    try folder.makeFile("dump", holding: Array(dump.map(\.text).joined(separator: "\n").utf8))
    _ = try await output(["run", folder.path("dump"), "--out", folder.path("out"), "--quiet"])
    func found() async throws -> JSONValue {
      let answer = try await output(["rejects", folder.path("out"), "--diagnose", "--json"])
      let value = try JSONValue(parsing: answer)
      let codes = value["tampering"]?["groups"]?.array.compactMap { $0["finding"]?.text } ?? []
      #expect(codes.contains("stolen_signature"))
      return try #require(value["stolen_signatures"])
    }
    let before = try await found()
    #expect(before["rejects"] == .integer(3) && before["accepted_postbacks"] == .integer(1))
    #expect(before["edited_copies"] == .integer(1) && before["compared"] == .integer(4))
    #expect(before["thefts"]?.array.map { $0["source_line"] } == [.integer(6), .integer(7), .integer(8)])
    #expect(before["thefts"]?.array.allSatisfy { $0["owner"]?["source_line"] == .integer(1) } == true)

    // Rows of earlier versions do not have the column. A state would know how long the part was.
    try FileManager.default.removeItem(atPath: folder.path("out/_state"))
    let part = "out/skan_postbacks/part-00000001.jsonl"
    let rows = String(decoding: try folder.contents(of: part), as: UTF8.self)
    let older = rows.replacing(try Regex(#""signature_r":"[^"]*","#), with: "")
    #expect(older.count < rows.count)
    try folder.makeFile(part, holding: Array(older.utf8))
    let answer = try JSONValue(
      parsing: try await output(["rejects", folder.path("out"), "--stolen-signatures", "--json"])
    )
    #expect(answer["stolen_signatures"]?["rejects"] == .integer(0))
    #expect(answer["stolen_signatures"]?["untested_postbacks"] == .integer(2))
  }

  @Test func `explain names the postback whose signature it is`() async throws {
    let folder = try TemporaryFolder()
    let one = RealPostback.v3.object
    try folder.makeFile("dump", holding: Array(one.text.utf8))
    try folder.makeFile("stolen", holding: Array(one.with(["transaction-id": "\"mine\""]).text.utf8))
    _ = try await output(["run", folder.path("dump"), "--out", folder.path("out"), "--quiet"])
    let json = try JSONValue(
      parsing: try await output(["explain", folder.path("stolen"), "--known", folder.path("out"), "--json"])
    )
    let diagnosis = try #require(json["diagnosis"])
    #expect(diagnosis["finding"]?.text == "stolen_signature")
    #expect(diagnosis["transaction_id"]?.text == one.string("transaction-id"))
    #expect(diagnosis["owner"]?["source_file"]?.text == folder.path("dump"))
    #expect(diagnosis["owner"]?["source_line"] == .integer(1))
  }

  @Test func `needs the output of a run`() async throws {
    let result = try await BuiltCommand.run(["rejects", "-", "--stolen-signatures"])
    #expect(result.status == 64 && result.errorText.contains("--stolen-signatures needs accepted postbacks"))
  }
}
