import TestSupport
import Testing

/// Runs over postbacks in other layouts and between broken lines.
@Suite struct `postback run over broken text` {
  /// Runs over a text, and returns the counts of its records, and of the accepted and rejected ones.
  private func counts(of text: [UInt8], keys: [String]) async throws -> [Int] {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(
      ["run", "-", "--out", folder.path("out"), "--received-at", "2026-03-10T00:00:00Z", "--json"] + keys,
      input: text
    )
    #expect(result.status == 0, "\(result.errorText)")
    let summary = Object(result.text)
    return ["read", "accepted", "rejected"].map { summary[$0].flatMap { Int($0) } ?? -1 }
  }

  private static func lines(of dump: GeneratedDump) -> [[UInt8]] {
    dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  @Test(arguments: [#"{"version":"4.0","app-id":525463029,"#, #"{"version":"4.0","app-id":"#, #"{"version":["#])
  func `loses no postback after a truncated line, indented or not`(_ cut: String) async throws {
    let dump = try await GeneratedDump(count: 1000, seed: 26)
    let lines = Self.lines(of: dump)
    let whole = try await counts(of: dump.bytes, keys: dump.keys)
    for indentation in ["", "  ", "\t"] {
      var text = Array("\(cut)\n".utf8)
      for line in lines { text += Array(indentation.utf8) + line + "\n".utf8 }
      #expect(
        try await counts(of: text, keys: dump.keys) == [whole[0] + 1, whole[1], whole[2] + 1],
        "\(indentation.utf8.count) bytes of indentation"
      )
    }
  }

  @Test(arguments: ["", " "]) func `reads envelopes one after another on one line`(_ separator: String) async throws {
    let envelopes = (0..<221).map { number in
      let body = String(decoding: RealPostback.all[number % RealPostback.all.count].bytes, as: UTF8.self)
      return #"{"received_at":"2026-03-01T10:00:00Z","forwarder":"n\#(number)","body":\#(body)}"#
    }
    let lines = try await counts(of: Array(envelopes.joined(separator: "\n").utf8), keys: [])
    let text = envelopes.joined(separator: separator)
    #expect(text.utf8.count > 65_536 && lines[0] == 221)
    #expect(try await counts(of: Array(text.utf8), keys: []) == lines)
    // An envelope without its end is rejected, and takes none along.
    let broken = ([String(envelopes[0].dropLast())] + envelopes).joined(separator: separator)
    #expect(try await counts(of: Array(broken.utf8), keys: []) == [lines[0] + 1, lines[1], lines[2] + 1])
    let explained = try await BuiltCommand.run(
      ["explain", "-", "--line", "1", "--record", "3"],
      input: Array(text.utf8)
    )
    let third = try #require(RealPostback.all[2].object.string("transaction-id"))
    #expect(explained.text.contains(third), "\(explained.text)")
    let first = try await BuiltCommand.run(["explain"], input: Array(text.utf8))
    #expect(first.errorText.contains("--record 2"), "\(first.errorText)")
  }

  @Test func `rejects each truncated line`() async throws {
    let dump = try await GeneratedDump(count: 300, seed: 27)
    let whole = try await counts(of: dump.bytes, keys: dump.keys)
    var random = SplitMix(seed: 27)
    var text: [UInt8] = []
    for line in Self.lines(of: dump) {
      for _ in 0..<2 { text += line.prefix(.random(in: 1..<line.count, using: &random)) + "\n".utf8 }
      text += line + "\n".utf8
    }
    #expect(try await counts(of: text, keys: dump.keys) == [3 * whole[0], whole[1], whole[2] + 2 * whole[0]])
  }

  @Test func `reads pretty-printed postbacks whole, with any line breaks`() async throws {
    let dump = try await GeneratedDump(count: 300, seed: 28)
    let whole = try await counts(of: dump.bytes, keys: dump.keys)
    let list = "\"list\": [\n{\"transaction-id\": 1},\n{\n\"a\": {}\n}\n]\n}"
    let printed = Self.lines(of: dump).map { line in
      line.first == UInt8(ascii: "{") && line.last == UInt8(ascii: "}")
        ? Array("{\n".utf8) + line.dropFirst().dropLast() + ",\n\(list)".utf8 : line
    }
    let lines = Array(printed.joined(separator: "\n".utf8))
    let array = Array("[\n".utf8) + printed.joined(separator: ",\n".utf8) + "\n]".utf8
    for text in [lines, array] { #expect(try await counts(of: text, keys: dump.keys) == whole) }
  }
}
