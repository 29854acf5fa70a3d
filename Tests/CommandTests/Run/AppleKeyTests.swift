import SKAdNetwork
import Signatures
import TestSupport
import Testing

/// A key that Apple publishes after this version, added with its environment.
@Suite struct `A further key of Apple's` {
  private let folder: TemporaryFolder
  private let signer: Signer

  init() throws {
    folder = try TemporaryFolder()
    signer = try Signer(.p256, id: "apple-cas-identifier/1")
  }

  /// Runs over a SKAdNetwork and an AdAttributionKit postback of the key, both received on 10 March 2026.
  private func run(_ option: String, _ more: [String] = []) async throws -> BuiltCommand.Result {
    let jws = try signer.sign(
      payload: """
        {"ad-network-identifier":"n.adattributionkit","postback-identifier":"p","advertised-item-identifier":1,\
        "conversion-type":"download","did-win":true,"postback-sequence-index":0}
        """
    )
    let signed = try signer.sign(RealPostback.v4.object.with(["transaction-id": Object.quoted("t")]))
    let dump = try folder.makeFile("dump", holding: Array("\(jws.text)\n\(signed.text)\n".utf8))
    let key = ["--apple-key", "apple-cas-identifier/1=\(signer.base64),\(option)"]
    return try await BuiltCommand.run(
      ["run", dump, "--out", folder.path("out"), "--received-at", "2026-03-10T12:00:00Z"] + key + more
    )
  }

  private func rows(of table: String) throws -> [Object] {
    try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { Object(Array($0)) }
  }

  @Test(arguments: ["production", "production,2026-03-10", "production,2026-03-10T12:00:00Z"])
  func `of production signs real postbacks, and its trust is told`(_ option: String) async throws {
    let result = try await run(option)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("The P-256 key apple-cas-identifier/1 (production"), "\(result.errorText)")
    #expect(result.errorText.contains("is trusted as one of Apple's"))
    let accepted = try rows(of: "skan_postbacks")
    #expect(accepted.map { $0.string("environment") } == ["production", "production"])
    #expect(accepted.map { $0.string("key_id") } == ["apple-cas-identifier/1", "apple-cas-identifier/1"])
    let status = try await BuiltCommand.run(["status", folder.path("out")]).text
    #expect(status.contains("apple-cas-identifier/1 (production"), "\(status)")
  }

  @Test func `signs nothing that was received before it was valid`() async throws {
    #expect(try await run("production,2026-03-10T12:00:01Z").status == 0)
    let rejected = try rows(of: "skan_rejects")
    #expect(rejected.map { $0.string("reject_code") } == ["unknown_key", "signature_invalid"])
    #expect(
      rejected.allSatisfy {
        $0.string("reject_detail")?.contains("valid for postbacks received from 2026-03-10T12:00:01Z on") == true
      },
      "\(rejected.map(\.text))"
    )
  }

  @Test func `of development needs to be allowed`() async throws {
    #expect(try await run("development").status == 0)
    #expect(try rows(of: "skan_rejects").map { $0.string("reject_code") } == ["development_key", "signature_invalid"])
    let other = try folder.makeFile("other", holding: folder.contents(of: "dump"))
    let key = ["--apple-key", "apple-cas-identifier/1=\(signer.base64),development", "--allow-development"]
    #expect(try await BuiltCommand.run(["run", other, "--out", folder.path("allowed")] + key).status == 0)
    let accepted = try folder.contents(of: "allowed/skan_postbacks/part-00000001.jsonl")
      .split(separator: UInt8(ascii: "\n")).map { Object(Array($0)) }
    #expect(accepted.map { $0.string("environment") } == ["development", "development"])
  }

  @Test(arguments: [
    ["--trust-key", "apple-cas-identifier/1=KEY"], ["--trust-key", "Apple-CAS-identifier/1=KEY"],
    ["--apple-key", "apple-cas-identifier/0=KEY,production"],
  ])
  func `cannot be had in another way, and takes no name of another key`(_ option: [String]) async throws {
    let options = option.map { $0.replacing("KEY", with: signer.base64) }
    let dump = Fixtures.path("postbacks/skadnetwork-2.0.jsonl")
    let result = try await BuiltCommand.run(["run", dump, "--out", folder.path("out")] + options)
    #expect(result.status == 65, "\(result.errorText)")
  }

  @Test(arguments: ["", ",custom", ",production,soon", ",production,2026-01-01,x"])
  func `must be given with its environment`(_ rest: String) async throws {
    let dump = Fixtures.path("postbacks/skadnetwork-2.0.jsonl")
    let key = ["--apple-key", "apple-cas-identifier/1=\(signer.base64)\(rest)"]
    let result = try await BuiltCommand.run(["run", dump, "--out", folder.path("out")] + key)
    #expect(result.status == 64, "\(result.errorText)")
  }
}
