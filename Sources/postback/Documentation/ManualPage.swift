/// The page of a command for `man`, in roff: made of the manual that `--help` prints.
struct ManualPage {
  /// The name of the page's file, such as `postback-model-check.1`.
  let fileName: String
  /// The page.
  let text: String

  /// Creates the page of a command.
  init(of manual: Manual) {
    let name = Self.name(of: manual)
    let options = manual.allOptions.map { option in
      let names = [option.short, option.name].compactMap { $0.map { "\\fB\(Self.escaped($0))\\fR" } }
      let value = option.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
      return ".TP\n\(names.joined(separator: ", "))\(value)\n\(Self.paragraphs(option.help))"
    }
    self.init(
      name: name,
      summary: manual.summary,
      synopsis: "\\fBpostback \(Self.escaped(manual.name))\\fR \(Self.escaped(manual.usage))",
      sections: [
        ("DESCRIPTION", Self.paragraphs(manual.discussion)), ("OPTIONS", options.joined(separator: "\n")),
        ("EXAMPLE", Self.verbatim(manual.example)), ("SEE ALSO", ".BR postback (1)"),
      ]
    )
  }

  /// Creates the page of `postback` itself, which lists the commands.
  init(of list: CommandList) {
    let commands = list.manuals.map { manual in
      ".TP\n\\fB\(Self.escaped(manual.name))\\fR\n\(Self.paragraphs(manual.summary))"
    }
    let pages = list.manuals.map { ".BR \(Self.escaped(Self.name(of: $0))) (1)" }
    let options = CommandList.options.map { ".TP\n\\fB\(Self.escaped($0.name))\\fR\n\(Self.paragraphs($0.help))" }
    self.init(
      name: "postback",
      summary: CommandList.summary,
      synopsis: "\\fBpostback\\fR \\fICOMMAND\\fR …",
      sections: [
        ("COMMANDS", commands.joined(separator: "\n")), ("OPTIONS", options.joined(separator: "\n")),
        ("EXAMPLE", Self.verbatim(CommandList.example)), ("SEE ALSO", pages.joined(separator: ",\n")),
      ]
    )
  }

  private init(name: String, summary: String, synopsis: String, sections: [(title: String, text: String)]) {
    fileName = "\(name).1"
    let title = Self.escaped(name)
    let parts = sections.map { ".SH \($0.title)\n\($0.text)\n" }
    // Lines of JSON have no space that could be made wider, so that ends of lines are ragged.
    text = """
      .TH \(title.uppercased()) 1 "" "postback \(Main.version)" "postback"
      .ad l
      .SH NAME
      \(title) \\- \(Self.escaped(summary))
      .SH SYNOPSIS
      \(synopsis)
      \(parts.joined())
      """
  }

  private static func name(of manual: Manual) -> String {
    "postback-" + manual.name.replacing(" ", with: "-")
  }

  /// Returns text in which no character is an instruction to roff.
  private static func escaped(_ text: some StringProtocol) -> String {
    let text = String(text).replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// Returns the lines of a text as paragraphs: one begins after an empty line, and with the exit statuses. An indented line is
  /// shown as it is, and JSON may be broken between its members.
  private static func paragraphs(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.isEmpty { return ".PP" }
      if line.hasPrefix("  ") { return ".nf\n\(escaped(line))\n.fi" }
      let words = escaped(line).replacing(",\"", with: ",\\:\"")
      return (line.hasPrefix("Exit status") ? ".PP\n" : "") + words
    }.joined(separator: "\n")
  }

  /// Returns lines that are shown as they are, indented.
  private static func verbatim(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { escaped($0.drop { $0 == " " }) }
    return ([".RS 4", ".nf"] + lines + [".fi", ".RE"]).joined(separator: "\n")
  }
}
