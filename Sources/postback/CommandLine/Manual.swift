/// An option of a command.
struct Option: Sendable {
  /// The long name, with its dashes.
  let name: String
  /// The placeholder for the value in the help; nil for a flag.
  let value: String?
  /// The description of the option, in one line or a few.
  let help: String
  /// The name of one letter, with its dash, such as `-o`; nil if there is none.
  let short: String?

  init(_ name: String, _ value: String? = nil, _ help: String, short: String? = nil) {
    self.name = name
    self.value = value
    self.help = help
    self.short = short
  }
}

/// The documentation of a command, which `--help` prints.
struct Manual: Sendable {
  let name: String
  let summary: String
  /// The operands and main options, as the usage line shows them after the name.
  let usage: String
  let discussion: String
  let options: [Option]
  let example: String

  /// The options that every command takes.
  static let quiet = Option("--quiet", nil, "Say nothing but what was asked for, warnings and errors.", short: "-q")
  private static let help = Option("--help", nil, "Show this.", short: "-h")

  /// The options of the command, including those of every command.
  var allOptions: [Option] { options + [Self.quiet, Self.help] }

  /// Returns the option with this long or short name; nil if there is none.
  func option(_ name: String) -> Option? { allOptions.first { $0.name == name || $0.short == name } }

  /// The text that `--help` prints.
  var text: String {
    let titles = allOptions.map { option in
      (option.short.map { "\($0), " } ?? "    ") + option.name + (option.value.map { " \($0)" } ?? "")
    }
    let width = titles.map(\.count).max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    let lines = zip(titles, allOptions).map { title, option in
      let help = option.help.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + indent)
      return "  " + title + String(repeating: " ", count: width - title.count + 2) + help
    }
    return """
      \(summary)

      \("Usage:".styled(.bold)) postback \(name) \(usage)

      \(discussion)

      \("Options:".styled(.bold))
      \(lines.joined(separator: "\n"))

      \("Example:".styled(.bold))
        \(example)
      """
  }
}
