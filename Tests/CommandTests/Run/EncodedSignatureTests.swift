import JSON
import TestSupport
import Testing

/// A way in which forwarders write the base64 of a signature.
struct SignatureWriting: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let write: @Sendable (String) -> String

  private init(_ name: String, _ write: @escaping @Sendable (String) -> String) {
    (testDescription, self.write) = (name, write)
  }

  /// The postback with its signature, or its JWS, in this form.
  func applied(to postback: Object) -> Object {
    let key = postback["jws-string"] == nil ? "attribution-signature" : "jws-string"
    return postback.with([key: Object.quoted(write(postback.string(key) ?? ""))])
  }

  private static func replacing(_ text: String, _ pairs: [Character: String]) -> String {
    text.map { pairs[$0] ?? String($0) }.joined()
  }

  private static let percent: [Character: String] = ["+": "%2B", "/": "%2f", "=": "%3D", "-": "%2D", "_": "%5f"]

  static let all = [
    Self("base64url") { replacing($0, ["+": "-", "/": "_", "=": ""]) },
    Self("standard base64 in place of base64url") { text in
      text.split(separator: ".").map { part in
        let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
        return replacing(String(part), ["-": "+", "_": "/"]) + (text.contains(".") ? padding : "")
      }.joined(separator: ".")
    },
    Self("spaces for +") { replacing($0, ["+": " ", "-": " "]) },
    Self("percent-encoded") { replacing($0, percent) },
    Self("percent-encoded twice") { replacing(replacing($0, percent), ["%": "%25"]) },
    Self("lines of 64") { text in
      var lines = ""
      for (index, character) in text.enumerated() {
        lines += (index > 0 && index % 64 == 0 ? "\r\n" : "") + String(character)
      }
      return lines + "\n"
    },
    Self("a space around") { " \($0) " },
    Self("without padding") { replacing($0, ["=": ""]) },
  ]
}

@Suite struct `A signature in another encoding` {
  /// Runs over lines, and returns the rows of a table.
  private func rows(_ lines: [String], in table: String = "skan_postbacks") async throws -> [Object] {
    let folder = try TemporaryFolder()
    let input = try folder.makeFile("in.jsonl", holding: Array(lines.joined(separator: "\n").utf8))
    let result = try await BuiltCommand.run(
      ["run", input, "--allow-development", "--out", folder.path("out"), "--received-at", "2026-03-10T00:00:00Z"]
    )
    #expect(result.status == 0, "\(result.errorText)")
    return Object.lines(try folder.contents(of: "out/\(table)/part-00000001.jsonl"))
  }

  private static let genuine =
    RealPostback.different.filter { ["valid", "development"].contains($0.signatureState) }.map(\.object)

  @Test(arguments: SignatureWriting.all)
  func `is accepted, and named where it is not Apple's form`(_ writing: SignatureWriting) async throws {
    let written = Self.genuine.map(writing.applied)
    let (plain, found) = (try await rows(Self.genuine.map(\.text)), try await rows(written.map(\.text)))
    #expect(found.count == plain.count && found.count > 5)
    let columns = ["postback_key", "signature_r", "key_id", "transaction_id", "app_id"]
    for (row, other) in zip(found, plain) { #expect(columns.allSatisfy { row[$0] == other[$0] }) }
    for (index, row) in zip(written.indices, found) {
      let key = Self.genuine[index]["jws-string"] == nil ? "attribution-signature" : "jws-string"
      let isChanged = written[index].text != Self.genuine[index].text
      #expect(row["coerced_fields"]?.contains("\"\(key)\"") ?? false == isChanged, "\(row.text)")
    }
  }

  @Test func `is the same postback as in Apple's form`() async throws {
    let postback = RealPostback.v4.object
    let lines = [postback.text] + SignatureWriting.all.map { $0.applied(to: postback).text }
    #expect(try await rows(lines).count == 1)
    let rejects = try await rows(lines, in: "skan_rejects")
    #expect(rejects.count == lines.count - 1)
    #expect(rejects.allSatisfy { $0.string("reject_code") == "duplicate_identical" })
  }

  @Test func `proves nothing that it did not sign`() async throws {
    let signature = try #require(RealPostback.v4.object.string("attribution-signature"))
    let forgeries =
      SignatureWriting.all.map { $0.applied(to: RealPostback.v4.object).with(["did-win": "false"]) }
      + [String(signature.dropLast(4)), "\(signature)AAAA", "\(signature)%00", "%", "====", " ", "+%2B%zz"].map {
        RealPostback.v4.object.with(["attribution-signature": Object.quoted($0)])
      }
    #expect(try await rows(forgeries.map(\.text)).isEmpty)
    let codes = try await rows(forgeries.map(\.text), in: "skan_rejects").map { $0.string("reject_code") }
    #expect(codes.prefix(8).allSatisfy { $0 == "signature_invalid" })
    #expect(codes.dropFirst(8).allSatisfy { $0 == "malformed_signature" }, "\(codes)")
  }

  @Test(arguments: [("apple-doc-2.2", "2.2"), ("apple-doc-3.0-win", "3"), ("apple-doc-4.0-web-high-tier", "4.0")])
  func `comes with a version that is a number`(_ name: String, _ version: String) async throws {
    let row = try #require(try await rows([RealPostback[name].object.with(["version": version]).text]).first)
    #expect(row["coerced_fields"] == #"["version"]"#)
    #expect(row.string("version") == RealPostback[name].version)
    let codes = try await rows(
      ["5.1", "2.3", "4e0", "-4", "4.01"].map { number in
        RealPostback.v4.object.with(["version": number]).text
      },
      in: "skan_rejects"
    ).map { $0.string("reject_code") }
    #expect(codes == ["unsupported_version"] + [String](repeating: "unknown_version", count: 4))
  }
}
