internal import Ledger
internal import Reporting
internal import Signatures

/// The digests of all that a step makes its tables of. The tables are current as long as these stay the same.
struct DerivedInputs: Equatable {
  /// The digest of the tables of the run.
  private let rows: String
  /// The digest of the options and of the files that they name.
  private let settings: String
  /// The digest of the tables that earlier steps have made.
  private let before: String

  /// The reason where there is no earlier table of these inputs.
  static let none = "new"

  /// The names of the steps, in their order.
  static let steps = [SettleCommand.manual.name, EnrichCommand.manual.name, DailyCommand.manual.name]

  /// The digests of a command's inputs, with those of earlier steps as a manifest has them.
  init(_ command: any DerivedCommand, rows: String, _ manifest: DerivedManifest) throws(CommandFailure) {
    let name = type(of: command).manual.name
    let earlier = Self.steps.prefix { $0 != name }.map { manifest.inputs[$0] ?? "" }
    let settings = try command.settingsDigest()
    do {
      var hash = try SHA256()
      self.rows = rows
      self.settings = try hash.hexadecimalDigest(of: "\(Main.version) \(settings)")
      before = try hash.hexadecimalDigest(of: earlier.joined(separator: ";"))
    } catch {
      throw CommandFailure(.software, "\(error)")
    }
  }

  /// The digests as a manifest has them.
  var text: String { [rows, settings, before].joined(separator: " ") }

  /// The reason for which a step whose inputs were others makes its tables again; nil if they are the same.
  func reason(toReplace text: String?) -> String? {
    guard let parts = text?.split(separator: " "), parts.count == 3 else { return Self.none }
    if parts[0] != rows { return "the tables of the run have changed" }
    if parts[1] != settings { return "the settings have changed" }
    return parts[2] != before ? "the tables before it have changed" : nil
  }
}

extension DerivedCommand {
  /// Notes in a manifest of what the command has made its tables, and with which options.
  func note(in manifest: inout DerivedManifest, rows: String) throws(CommandFailure) {
    manifest.options = derived.remembered
    manifest.inputs[Self.manual.name] = try DerivedInputs(self, rows: rows, manifest).text
  }
}
