import Base
import TestSupport
import Testing

@testable import postback

@Suite struct `A hostile argument` {
  /// A text with C0, C1 and DEL, characters that change the direction of text, a line separator, and words that look like
  /// another message.
  private static let hostile =
    "x\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{7F}\u{202E}\u{2066}\u{2028}\r\npostback: all is well"

  private static let option = "--\(hostile)"

  /// Command lines with a hostile text in place of each argument.
  private static let commandLines: [[String]] = {
    var lines = [[hostile], ["help", hostile], [option], ["model", hostile], ["state", hostile]]
    for command in Main.commands.commands {
      let manual = command.manual
      let name = manual.name.split(separator: " ").map(String.init)
      lines += [name + [option], name + [hostile], name + [hostile, hostile], name + ["-\(hostile)"]]
      let given = operands[manual.name] ?? []
      for option in manual.options where option.placeholder != nil {
        lines.append(name + given + [option.name, hostile])
        lines.append(name + given + ["\(option.name)=\(hostile)"])
      }
      for option in manual.options where option.placeholder == nil {
        lines.append(name + ["\(option.name)=\(hostile)"])
      }
    }
    return lines
  }()

  /// The arguments that commands need besides an option, so that they examine the option.
  private static let operands = [
    "run": ["/nowhere", "--out", "/nowhere/out"], "watch": ["/nowhere", "--out", "/nowhere/out"],
    "serve": ["--spool", "/nowhere", "--watch", "--out", "/nowhere/out"], "rejects": ["/nowhere"],
    "report": ["/nowhere", "--html", "/nowhere/page"], "generate": ["--count", "0"],
    "model check": [Fixtures.path("models")], "model show": [Fixtures.path("models")],
    "model decode": [Fixtures.path("models"), "--value", "1"], "model encode": [Fixtures.path("models")],
    "find": ["/nowhere", "x"],
    "model import": ["/nowhere", "--as", "adjust"],
    "model export": [Fixtures.path("models"), "--as", "google-ads"],
    "model diff": [Fixtures.path("models"), Fixtures.path("models")], "explain": ["/nowhere"],
    "state compact": ["/nowhere", "--before", "2026-03-10"], "state check": ["/nowhere"], "status": ["/nowhere"],
  ]

  @Test(arguments: commandLines) func `is escaped in every message`(_ arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(
      executable: "/bin/sh",
      ["-c", "cd \"$0\" && exec \"$@\"", folder.path(""), try BuiltCommand.path] + arguments
    )
    for text in [result.text, result.errorText] {
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl }, "\(arguments): \(text)")
      #expect(!text.split(separator: "\n").contains("postback: all is well"))
    }
    #expect(result.status == 0 || result.errorText.hasPrefix("postback: "))
  }

  @Test func `is escaped as the name of a file or a folder`() async throws {
    let folder = try TemporaryFolder()
    let name = Self.hostile.replacing("\n", with: "")
    try folder.makeFile(name + ".json", holding: Array("{".utf8))
    let out = folder.path("out")
    for arguments in [
      ["model", "check", folder.path("")], ["run", folder.path(name + ".json"), "--out", folder.path(name)],
      ["run", folder.path(name + ".gz"), "--out", out], ["rejects", folder.path(name)],
      ["rejects", folder.path(name + ".json")],
      ["explain", folder.path(name + ".json"), "--line", "7"], ["report", folder.path(""), "--html", folder.path("a")],
      ["status", folder.path(name)], ["state", "check", folder.path(name)], ["state", "check", folder.path("")],
    ] {
      let result = try await BuiltCommand.run(arguments)
      for text in [result.text, result.errorText] {
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl }, "\(arguments): \(text)")
      }
    }
  }
}
