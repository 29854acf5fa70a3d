import Foundation
import TestSupport
import Testing

@testable import postback

@Suite struct `The documentation for man and for shells` {
  @Test func `has a page for each command, with all its options`() async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(["manual", "--out", folder.path("pages")])
    #expect(result.status == 0, "\(result.errorText)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("pages"))
    #expect(names.count == Main.commands.manuals.count + 1)
    for manual in Main.commands.manuals {
      let name = "postback-\(manual.name.replacing(" ", with: "-")).1"
      let page = try String(contentsOfFile: folder.path("pages/\(name)"), encoding: .utf8)
      for option in manual.allOptions {
        #expect(page.contains("\\fB\(option.name.replacing("-", with: "\\-"))\\fR"), "\(name): \(option.name)")
      }
      #expect(page == ManualPage(of: manual).text)
    }
    let page = try String(contentsOfFile: folder.path("pages/postback.1"), encoding: .utf8)
    for manual in Main.commands.manuals {
      #expect(page.contains("\\fB\(manual.name.replacing("-", with: "\\-"))\\fR\n"), "\(manual.name)")
    }
  }

  @Test func `is all that alerts and their explanations name`() throws {
    let names = Set(Main.commands.manuals.map(\.name))
    for path in ["../deploy/prometheus/alerts.yml", "../docs/operations.md", "../docs/recovery.md"] {
      let text = try String(contentsOfFile: Fixtures.path(path), encoding: .utf8).replacing(/\n +/, with: " ")
      // A command of a group, such as state check.
      for found in text.matches(of: /postback (state|records|model|plist|asa|load) ([a-z]+)/) {
        #expect(names.contains("\(found.output.1) \(found.output.2)"), "\(path): \(found.output.0)")
      }
    }
  }

  @Test func `contains no line that roff would take for an unknown instruction`() {
    let known = [".TH", ".ad", ".SH", ".TP", ".PP", ".BR", ".nf", ".fi", ".RS", ".RE"]
    for page in Main.commands.manuals.map(ManualPage.init(of:)) + [ManualPage(of: Main.commands)] {
      for line in page.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
        #expect(known.contains(String(line.prefix(3))), "\(page.fileName): \(line)")
      }
    }
  }

  @Test(arguments: [
    ("postback ru", ["run"]),
    ("postback model ", ["check", "show", "decode", "encode", "diff", "fit", "import", "export"]),
    ("postback state ch", ["check"]), ("postback help ex", ["explain"]),
    ("postback run --allow-d", ["--allow-development"]),
    ("postback model encode --reven", ["--revenue"]), ("postback run --jobs ", []),
    ("postback run --out f", ["folder"]),
    ("postback run --out = f", ["folder"]), ("postback run --models f", ["file.json", "folder"]),
    ("postback run f", ["file.json", "folder"]), ("postback run --out folder --mod", ["--models"]),
  ])
  func `completes in bash`(_ line: String, _ expected: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("file.json")
    try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
    let script = """
      cd "$1"
      compopt() { :; }
      source /dev/stdin
      read -ra COMP_WORDS <<<"$2"
      [[ $2 == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _postback
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let completions = Completions(list: Main.commands).script(for: .bash)
    let result = try await BuiltCommand.run(
      executable: "/bin/bash",
      ["-c", script, "bash", folder.path(""), line],
      input: Array((completions + "\n").utf8)
    )
    #expect(result.errorText.isEmpty)
    #expect(result.text.split(separator: "\n").map(String.init).sorted() == expected.sorted())
  }

  @Test(arguments: Completions.Shell.allCases) func `names every command and option to each shell`(
    _ shell: Completions.Shell
  ) async throws {
    let result = try await BuiltCommand.run(["completion", shell.rawValue])
    #expect(result.status == 0)
    for manual in Main.commands.manuals {
      for option in manual.allOptions {
        let written = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
        #expect(result.text.contains(written), "\(manual.name) \(option.name)")
      }
    }
  }

  @Test(arguments: [
    ["completion"], ["completion", "tcsh"], ["manual", "nonsense"], ["manual", "run", "--out", "/nowhere"],
  ])
  func `refuses what it does not know with status 64`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
  }
}
