import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

/// What a postback is of, and what follows: a re-engagement, a test during development, a version to come.
@Suite struct `Kinds of postbacks` {
  private let folder: TemporaryFolder
  private let signer: Signer

  init() throws {
    folder = try TemporaryFolder()
    signer = try Signer(.p256, id: "ours")
  }

  /// An AdAttributionKit postback that our key signed.
  private func adAttributionKit(_ payload: [String: String], beside: [String: String] = [:]) throws -> Object {
    let ordinary = Object(
      """
      {"ad-network-identifier":"n.adattributionkit","postback-identifier":"p","advertised-item-identifier":1,\
      "conversion-type":"download","did-win":true,"postback-sequence-index":0}
      """
    )
    return try signer.sign(payload: ordinary.with(payload).text, beside: beside)
  }

  /// The rows of one table that `run` makes of postbacks, in their order.
  private func rows(
    of table: String = "skan_postbacks",
    _ postbacks: [Object],
    _ options: [String] = [],
    received: String = "2026-03-10T00:00:00Z"
  ) async throws -> [Object] {
    let dump = try folder.makeFile("dump", holding: Array(postbacks.map(\.text).joined(separator: "\n").utf8))
    let out = folder.path("out")
    let result = try await BuiltCommand.run(
      ["run", dump, "--out", out, "--received-at", received, "--trust-key", "ours=\(signer.base64)"] + options
    )
    #expect(result.status == 0, "\(result.errorText)")
    return try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { Object(Array($0)) }
  }

  private func explain(_ postback: Object, _ options: [String] = []) async throws -> Object {
    let options = ["--json", "--trust-key", "ours=\(signer.base64)"] + options
    return Object(try await BuiltCommand.run(["explain"] + options, input: Array(postback.text.utf8)).text)
  }

  private func models(_ members: String = "", windows: String) throws -> [String] {
    let text =
      #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,\#(members)"windows":[\#(windows)]}"#
    return ["--models", try folder.makeFile("model.json", holding: Array(text.utf8))]
  }

  // MARK: - Versions

  @Test(arguments: [
    ("4.1", "unsupported_version"), ("4.10", "unsupported_version"), ("5.0", "unsupported_version"),
    ("12.34", "unsupported_version"), ("2.7", "unknown_version"), ("1.1", "unknown_version"), ("5", "unknown_version"),
    ("4.1.0", "unknown_version"), ("4.+1", "unknown_version"), ("04.1", "unknown_version"),
    ("4.01", "unknown_version"), ("400.0", "unknown_version"), ("abc", "unknown_version"), ("-5.0", "unknown_version"),
  ])
  func `a version to come is told apart from one that never was`(_ version: String, _ code: String) async throws {
    let postback = RealPostback.v4.object.with(["version": Object.quoted(version)])
    let row = try await rows(of: "skan_rejects", [postback])[0]
    #expect(row.string("reject_code") == code)
    #expect(row.string("stage") == "schema" && row.string("field") == "version")
    #expect([row.string("version"), row.string("found")] == [version, version])
    let outcome = Object(try await explain(postback)["outcome"] ?? "{}")
    #expect(outcome.string("reject_code") == code)
    #expect(outcome.string("reject_detail")?.contains("update") == (code == "unsupported_version"))
  }
}
