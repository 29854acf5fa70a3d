internal import DerivedTables
internal import DurableFiles
internal import Tables

/// The version of the files of a derived table, which are replaced as a whole.
struct DerivedVersion {
  let table: Table
  /// The version as text.
  let text: String
  /// The folder that has the folder of the table.
  let output: String
  /// The object that keeps the files of the version.
  private let snapshot: DerivedSnapshot

  /// Reads the version of a table; nil if the output does not have the table.
  init?(of table: Table, in snapshot: DerivedSnapshot) throws(FileFailure) {
    (self.table, self.snapshot, output) = (table, snapshot, snapshot.place(of: table))
    guard let text = try Self.text(of: table, in: output) else { return nil }
    self.text = text
  }

  private static func text(of table: Table, in output: String) throws(FileFailure) -> String? {
    try DurableFolder("\(output)/\(table.name)").version(of: DerivedTable.summaryName)?.content
  }

  /// Indicates that the files still have this version.
  func isCurrent() throws(FileFailure) -> Bool { try Self.text(of: table, in: output) == text }
}
