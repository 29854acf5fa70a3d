internal import Base
internal import DerivedTables
internal import DurableFiles

/// The options that a command on derived tables uses if they are not given, because an earlier one was given them: so that a
/// table is not made anew with other settings by mistake.
enum RememberedOptions {
  /// The groups of options that belong together: with the first of a group all others of it are given anew.
  private static let groups = [
    ["--lookups", "--date-format", "--allow-overlap"], ["--cost", "--allow-credits"], ["--grace-hours"], ["--currency"],
    ["--rates"], ["--environment"], ["--dimensions"], ["--model-period"], ["--model-level"], ["--format"],
    ["--csv-safe"],
  ]
  /// The options whose values are paths.
  private static let paths: Set<String> = ["--lookups", "--cost", "--rates"]

  /// Returns the arguments with the options that an earlier command was given, and says which these are. Says also which
  /// options have other values than before.
  static func complete(_ arguments: Arguments, for manual: Manual) throws -> Arguments {
    let target = try DerivedOptions.folders(arguments).target
    let earlier = try arguments.read(DerivedOptions.Earlier.self)
    guard !earlier.forgetsOthers else { return arguments }
    // A configuration says all.
    let isConfigured = try arguments.read(ConfigurationOption.self).path != nil
    let snapshot = try DerivedSnapshot(of: target, repairing: true)
    let before = snapshot.manifest.options
    if !isConfigured, !earlier.isReplacing, let failure = snapshot.manifestFailure {
      throw failure.withAdviceOnOptions
    }
    let own = values(arguments)
    var used: [String: [String]] = [:]
    for group in groups where group.contains(where: { before[$0] != nil }) {
      let isAnew = own[group[0]] != nil
      for name in group {
        let isGiven = isAnew || own[name] != nil
        if !isGiven, !isConfigured, manual.option(name) != nil { used[name] = before[name] }
        if isGiven, let old = before[name], own[name] != old, manual.option(name) != nil {
          Terminal.note("\(name) changes from \(text(old)) to \(own[name].map(text) ?? "nothing").")
        }
      }
    }
    let shown = groups.joined().filter { used[$0] != nil }
    if !shown.isEmpty {
      let words = shown.map { ([$0] + (used[$0] ?? []).filter { !$0.isEmpty }.map(\.shellWord)).joined(separator: " ") }
      Terminal.note("Options of an earlier command are used: \(words.joined(separator: " ")). --reset forgets them.")
    }
    return arguments.completed(by: used)
  }

  /// Indicates that an earlier command on the derived tables in a folder was given an option.
  static func has(_ option: String, in target: String) throws -> Bool {
    try DerivedSnapshot(of: target, repairing: true).manifest.options[option] != nil
  }

  /// Returns the values of those options that are remembered, with whole paths.
  static func values(_ arguments: Arguments) -> [String: [String]] {
    var values: [String: [String]] = [:]
    for name in groups.joined() where arguments.has(name) {
      values[name] = arguments.all(name).map { paths.contains(name) ? WholePath.of($0) : $0 }
    }
    return values
  }

  private static func text(_ values: [String]) -> String {
    let text = values.joined(separator: " ")
    return text.isEmpty ? "given" : text
  }
}

extension FileFailure {
  /// The failure for a store whose options are lost, with the ways to give others.
  fileprivate var withAdviceOnOptions: FileFailure {
    FileFailure(
      kind,
      path,
      event,
      advice: """
        The options of earlier commands are lost with it. Restore it from a copy, or give postback refresh --config FILE, which \
        needs none of them, or --replace to use only the options that are given
        """
    )
  }
}
