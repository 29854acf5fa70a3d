internal import DerivedTables
internal import DurableFiles
internal import Ledger
internal import Tables

/// The rules for files of derived tables that are not as they were committed.
struct DerivedRepair {
  private let output: String
  private let isReplacing: Bool
  /// Indicates that tables of `daily` have days whose rows were removed.
  private let keepsDays: Bool
  /// The names of the tables with rows that cannot be calculated again.
  private let unique: Set<String>

  /// Makes the rules for the derived tables in a folder. `state` is that of the run.
  init(_ output: String, state: String, isReplacing: Bool = false) throws(FileFailure) {
    (self.output, self.isReplacing) = (output, isReplacing)
    // Days whose rows were removed stay as they are, and the changes tell what earlier reports had.
    keepsDays = Ledger.isThere(state) ? try Ledger.newestRemovedReceipt(state) != nil : false
    unique = keepsDays ? Set(DerivedStore.tables(of: "daily")) : ["skan_daily_changes"]
  }

  /// Makes the rules for the options of a command.
  init(_ options: DerivedOptions) throws(FileFailure) {
    try self.init(options.target, state: options.state, isReplacing: options.isReplacing)
  }

  /// Removes damaged tables from a generation, so that commands make them as if there had been none. Throws `.damaged` if one
  /// cannot be made again, or is made by another command and read by these.
  func removeDamaged(
    from generation: DerivedGeneration,
    before commands: [any DerivedCommand.Type]
  ) throws(FileFailure) {
    let names = commands.map { $0.manual.name }
    let made = Set(names.flatMap(DerivedStore.tables))
    if let failure = generation.manifestFailure {
      try repair(generation, failure, made)
      return
    }
    let read = DerivedStore.steps.prefix { $0.command != names.last }.flatMap(\.tables)
    let files = try generation.changedFiles(readingBytesOf: unique.intersection(made))
    for file in files where read.contains(file.table) && !made.contains(file.table) { throw failure(file) }
    let own = files.filter { made.contains($0.table) }
    if !isReplacing, let file = own.first(where: { unique.contains($0.table) }) { throw failure(file) }
    if !own.isEmpty { try generation.remove(Set(own.map(\.table))) }
  }

  /// Prepares the tables of a generation whose lengths and checksums are lost to be made again. Earlier changes stay, which tell only
  /// the history; the days whose rows were removed do not go without a word.
  private func repair(_ generation: DerivedGeneration, _ failure: FileFailure, _ made: Set<String>) throws(FileFailure)
  {
    // A command alone would commit the other tables without their checksums.
    guard made.isSuperset(of: ["settle", "daily"].flatMap(DerivedStore.tables)) else { throw failure }
    guard keepsDays else { return }
    guard isReplacing else {
      throw FileFailure(
        failure.kind,
        failure.path,
        failure.event,
        advice: """
          Without it the tables of daily cannot be checked, which have days whose rows were removed because of their age. Restore \
          it from a copy, such as a backup; or give postback refresh --replace, which writes the tables without these days
          """
      )
    }
    try generation.remove(unique.intersection(made))
  }

  /// The failure for a file, with the advice.
  func failure(_ file: ChangedFile) -> FileFailure {
    let isUnique = unique.contains(file.table)
    let removal = file.hasLength ? "\(isUnique ? "remove" : "Remove") the file, and " : ""
    let advice =
      isUnique
      ? "Restore the file from a copy; or \(removal)give postback refresh --replace, which writes the table without the rows "
        + "that cannot be calculated again"
      : "\(removal)\(removal.isEmpty ? "Give" : "give") postback refresh, which makes the table again"
    return FileFailure(.damaged, "\(output)/\(file.table)/\(file.name)", file.finding, advice: advice)
  }
}

extension ChangedFile {
  /// The file and what is wrong with it, as the reason of a step.
  var text: String { "\(table)/\(name): \(finding)" }
}
