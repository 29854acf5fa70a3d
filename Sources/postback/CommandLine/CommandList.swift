internal import Answers
internal import Base

/// The list of commands, which finds the command that a command line names.
struct CommandList {
  /// The command or the group that the first words of a command line name.
  enum Match {
    /// A command, and the words after its name.
    case command(any Command.Type, ArraySlice<String>)
    /// The first word of several commands, such as `model`, without a second word.
    case group(String)
  }

  let commands: [any Command.Type]

  /// The manuals of all commands, in order.
  var manuals: [Manual] { commands.map { $0.manual } }

  /// The purpose of all commands together.
  static let summary =
    "Turns Apple's ad-attribution postbacks (SKAdNetwork 1-4, AdAttributionKit) into tables of events and revenue."
  /// The options that stand in the place of a command.
  static let options = [
    Option("--version", "Print the version of postback and of its libraries."),
    Option(
      "--help",
      "Print this help; after a command, the help of that command. postback help COMMAND does the same."
    ),
  ]
  static let example = "postback run postbacks/ --models models/ --out out/"

  /// Finds the command that the words begin with; throws a failure that suggests the nearest name.
  func match(_ words: ArraySlice<String>) throws -> Match {
    for command in commands {
      let name = command.manual.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return .command(command, words.dropFirst(name.count)) }
    }
    let first = words.first ?? ""
    let isGroup = manuals.contains { $0.name.hasPrefix("\(first) ") }
    let second = words.dropFirst().first
    if isGroup, second.map({ $0.hasPrefix("-") }) ?? true { return .group(first) }
    let typed = [first, second ?? ""].joined(separator: " ")
    let name = isGroup ? typed : first
    let suggestion = suggestion(for: typed, first, isGroup: isGroup).map { " Did you mean \($0)?" } ?? ""
    let help = "See postback \(isGroup ? "\(first) " : "")--help."
    throw CommandFailure(.usage, "There is no command \(name).\(suggestion) \(help)")
  }

  private func suggestion(for typed: String, _ first: String, isGroup: Bool) -> String? {
    let names = manuals.map(\.name)
    let (pairs, singles) = (names.filter { $0.contains(" ") }, names.filter { !$0.contains(" ") })
    let firsts = Set(pairs.compactMap { $0.split(separator: " ").first.map(String.init) })
    if isGroup { return typed.nearest(among: pairs.filter { $0.hasPrefix("\(first) ") }) }
    // The user may have typed the second word alone.
    let seconds = pairs.filter { $0.hasSuffix(" \(first)") }
    if !seconds.isEmpty { return seconds.joined(separator: " or ") }
    return typed.nearest(among: pairs) ?? first.nearest(among: singles + firsts.sorted())
  }

  /// The text that `postback --help` prints.
  var help: String {
    """
    \(Self.summary)

    \("Usage:".styled(.bold)) postback COMMAND …

    \("Commands:".styled(.bold))
    \(Self.list(manuals.map { ($0.name, $0.summary) }).joined(separator: "\n"))

    \("Options:".styled(.bold))
    \(Self.list(Self.options.map { ($0.name, $0.help) }).joined(separator: "\n"))

    \("Example:".styled(.bold))
      \(Self.example)
    """
  }

  /// Returns the text that the help of a group prints, such as `postback model --help`.
  func help(of group: String) -> String {
    """
    \("Usage:".styled(.bold)) postback \(group) COMMAND …

    \("Commands:".styled(.bold))
    \(list(of: group).joined(separator: "\n"))

    \("Example:".styled(.bold))
      \(members(of: group).first?.example ?? "")
    """
  }

  /// Returns a line for each command of a group: its name and summary.
  func list(of group: String) -> [String] {
    Self.list(members(of: group).map { ($0.name, $0.summary) })
  }

  private func members(of group: String) -> [Manual] { manuals.filter { $0.name.hasPrefix("\(group) ") } }

  private static func list(_ entries: [(name: String, help: String)]) -> [String] {
    let width = entries.map(\.name.count).max() ?? 0
    return entries.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count + 2))\($0.help)" }
  }
}
