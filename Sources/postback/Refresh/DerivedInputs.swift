internal import Base
internal import DerivedTables
internal import Ledger
internal import LookupTables
internal import Signatures

/// The digests of all that a step makes its tables of. The tables are current as long as these stay the same.
struct DerivedInputs: Equatable {
  /// The digest of the tables of the run.
  private let rows: String
  /// The digest of the options and of the files that they name, and of the rules of calculation.
  private let settings: String
  /// The digest of the tables that earlier steps have made.
  private let before: String

  /// The reason where there is no earlier table of these inputs.
  static let none = "new"

  /// The names of the steps, in their order.
  static let steps = DerivedStore.steps.map(\.command)

  /// The digests of a command's inputs, with those of earlier steps as a manifest has them.
  init(_ command: any DerivedCommand, rows: String, _ manifest: DerivedManifest) throws {
    let name = type(of: command).manual.name
    let earlier = Self.steps.prefix { $0 != name }.map { manifest.inputs[$0] ?? "" }
    let settings = try command.settingsDigest()
    var hash = try SHA256()
    self.rows = rows
    self.settings = try hash.hexadecimalDigest(of: "\(Main.version) \(DerivedStore.rules) \(settings)")
    before = try hash.hexadecimalDigest(of: earlier.joined(separator: ";"))
  }

  /// The digests as a manifest has them, with the day from which the tables have more rows, if there is one.
  func text(due day: Int64?) -> String {
    ([rows, settings, before] + (day.map { ["\($0)"] } ?? [])).joined(separator: " ")
  }

  /// The reason for which a step whose inputs were others makes its tables again; nil if they are the same.
  func reason(toReplace text: String?) -> String? {
    guard let parts = text?.split(separator: " "), parts.count == 3 || parts.count == 4 else { return Self.none }
    if parts[0] != rows { return "the tables of the run have changed" }
    if parts[1] != settings {
      return "the settings, the rules of calculation, or files or tables that it reads, have changed"
    }
    if parts[2] != before { return "the tables before it have changed" }
    guard parts.count == 4, let due = Int64(parts[3]), due <= Timestamp.now.daysSince1970 else { return nil }
    return "postbacks were left out until today"
  }
}

extension DerivedCommand {
  /// Writes the tables, and notes in the manifest what they were made of, and with which options.
  func make(in work: DerivedWork, _ progress: ProgressLine) async throws -> DerivedAnswer {
    // Before the files are read: a change meanwhile makes the tables old, and the next refresh sees it.
    let inputs = try DerivedInputs(self, rows: work.rows, work.generation.manifest)
    let answer = try await write(in: work, progress)
    // A configuration gives each command its own options. Those of the others stay.
    let others = work.generation.manifest.options.filter { name, _ in
      !derived.forgetsOthers && Self.manual.option(name) == nil
    }
    work.generation.manifest.options = others.merging(derived.remembered) { $1 }
    work.generation.manifest.inputs[Self.manual.name] = inputs.text(due: answer.dueDay)
    work.generation.manifest.rows[Self.manual.name] = try lookedUpFiles().reduce(into: [:]) {
      $0[$1.name] = $1.rowCount
    }
    return answer
  }

  /// Throws if a file that the tables before were made with is gone or has no rows any more, as an export that failed leaves it.
  func verifyFiles(in work: DerivedWork) throws {
    let before = work.generation.manifest.rows[Self.manual.name] ?? [:]
    for file in try lookedUpFiles() {
      try work.replacement.verify(file: file.path, before: before[file.name] ?? 0, now: file.rowCount)
    }
  }
}
