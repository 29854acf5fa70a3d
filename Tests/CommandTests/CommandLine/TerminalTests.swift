import Base
import Foundation
import TestSupport
import Testing

@testable import postback

/// Commands that run in a pseudo-terminal.
@Suite struct `Output on a terminal` {
  private func run(_ arguments: [String], columns: Int = 80, environment: [String] = []) async throws
    -> BuiltCommand.Result
  {
    try await BuiltCommand.run(
      executable: "/usr/bin/env",
      ["-u", "COLUMNS", "-u", "NO_COLOR", "TERM=xterm"] + environment + [
        "python3", Fixtures.path("../Tests/terminal.py"), "\(columns)", try BuiltCommand.path,
      ] + arguments
    )
  }

  /// The visible lines, without control sequences.
  private func lines(_ result: BuiltCommand.Result) -> [String] {
    result.text.replacing(/\u{1B}\[[0-9;]*[mK]/, with: "").split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test(arguments: [40, 80, 100, 132, 250]) func `has tables that fit the width`(_ columns: Int) async throws {
    let site = try await RejectsSite.shared.value
    let rejects = [
      "rejects", site.out, "--group-by", "received_day,forwarder,reject_code", "--where", "stage=signature", "--quiet",
    ]
    for result in [
      try await run(rejects, columns: columns),
      try await run(rejects, columns: 200, environment: ["COLUMNS=\(columns)"]),
      try await run(
        ["model", "show", Fixtures.path("models"), "--app", "525463029", "--model", "revenue@1", "--window", "0"],
        columns: max(columns, 60)
      ),
    ] {
      // Behind five lines of facts, or the two of the model's title.
      let table = lines(result).dropFirst(result.text.contains("estimate") ? 2 : 5)
      let width = result.text.contains("estimate") ? max(columns, 60) : columns
      #expect(table.count > 5 && table.allSatisfy { $0.count <= width }, "\(result.text)")
    }
  }

  @Test func `has complete tables in a pipe, whatever COLUMNS says`() async throws {
    let site = try await RejectsSite.shared.value
    let result = try await BuiltCommand.run(
      executable: "/usr/bin/env",
      ["COLUMNS=40", try BuiltCommand.path, "rejects", site.out, "--group-by", "reject_code"]
    )
    #expect(result.text.contains("No trusted key signed this content. A signed field was changed"))
    #expect(!result.text.contains("…"))
  }

  @Test func `has coloured headings and errors, but not with NO_COLOR or in a pipe`() async throws {
    let site = try await RejectsSite.shared.value
    let commands = [["rejects", site.out], ["nonsense"], ["run", "--help"]]
    let colour = /\u{1B}\[[0-9;]*m/
    for command in commands {
      #expect(try await run(command).text.contains(colour))
      for environment in ["NO_COLOR=1", "TERM=dumb"] {
        #expect(!(try await run(command, environment: [environment])).text.contains(colour))
      }
      #expect(try await run(command, environment: ["NO_COLOR="]).text.contains(colour))
      let piped = try await BuiltCommand.run(command)
      #expect(!(piped.text + piped.errorText).contains("\u{1B}"))
    }
  }

  @Test func `shows the progress of long work, unless --quiet is given`() async throws {
    let site = try await RejectsSite.shared.value
    let folder = try TemporaryFolder()
    let diagnose = ["rejects", site.out, "--diagnose", "--diagnose-limit", "8"] + site.keys
    let shown = try await run(diagnose).text
    #expect(shown.contains("reading skan_rejects"))
    #expect(shown.contains(/[0-9]+ %  diagnosing, [0-9]+ of 8 rejects/))
    #expect(!(try await run(diagnose + ["--quiet"])).text.contains("reading"))
    #expect(try await run(["report", site.out, "--html", folder.path("page.html")]).text.contains("reading skan_"))
    let piped = try await BuiltCommand.run(diagnose)
    #expect(!piped.errorText.contains("reading"))
  }
}
