import JSON
import TestSupport
import Testing

@testable import postback

/// The tables of a run over a dump of all versions with forged, edited and copied postbacks and their raw bytes, made once.
struct CaseSite: Sendable {
  let folder: TemporaryFolder
  let out: String
  let keys: [String]
  let rejects: [JSONObject]
  let postbacks: [JSONObject]

  static let shared = Task { try await CaseSite() }

  /// The texts that a shell or a browser would take for something else if they were not quoted.
  static func hostile(_ file: String) -> [String] {
    ["'; touch \(file); '", "$(touch \(file))", "`touch \(file)`", "</pre><script>alert(1)</script>", "%n%s\\047"]
  }

  private init() async throws {
    folder = try TemporaryFolder()
    out = folder.path("out")
    let versions = "4.0=3,3.0=1,2.2=1,2.1=1,2.0=1,1.0=1,aak=2"
    try await Self.run(
      [
        "generate", "--count", "1500", "--seed", "8", "--envelopes", "--versions", versions, "--forged", "0.05",
        "--edited", "0.05", "--duplicate", "0.1", "--malformed", "0.02", "--zero-filled", "0.03", "--out",
        folder.path("dump"), "--keys", folder.path("keys"),
      ]
    )
    keys = try folder.words(of: "keys")
    let hostile = try folder.makeFile("hostile", holding: Array(Self.lines(folder.path("pwned")).utf8))
    try await Self.run(
      ["run", folder.path("dump"), hostile, "--models", Fixtures.path("models"), "--keep-raw", "--out", out] + keys
    )
    rejects = try JSONObject.lines(try folder.contents(of: "out/skan_rejects/part-00000001.jsonl"))
    postbacks = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
  }

  /// Forged postbacks with a hostile text in every field that a sender can fill.
  private static func lines(_ file: String) -> String {
    hostile(file).map { text in
      let text = String(JSONValue.string(text).description.dropFirst().dropLast())
      return """
        {"received_at":"2026-03-05T00:00:00Z","channel":"network_forwarded","forwarder":"\(text)",\
        "body":{"version":"4.0","ad-network-id":"\(text)","source-identifier":"1234","app-id":1,"transaction-id":"\(text)",\
        "redownload":false,"source-domain":"\(text)","fidelity-type":1,"did-win":true,"postback-sequence-index":0,\
        "conversion-value":1,"attribution-signature":"MEUCIQDyN7SpNoNBLsGFXrz4CIkFXjWwRLm0xBz6iqYDqPVkHQIgXnxLBUOUQCPXLSaqgTsWIFA0ySOb7BPVnwHIOyVvpKk="}}
        {"received_at":"2026-03-05T00:00:01Z","channel":"network_forwarded","forwarder":"\(text)","body":"\(text)"}

        """
    }.joined()
  }

  @discardableResult static func run(_ arguments: [String], status: Int32 = 0) async throws -> BuiltCommand.Result {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == status, "\(result.errorText)")
    return result
  }

  /// The JSON of a case with these options.
  func json(_ options: [String], of path: String? = nil) async throws -> JSONValue {
    let result = try await Self.run(["case", path ?? out, "--json"] + keys + options)
    return try JSONValue(parsing: result.output)
  }
}
