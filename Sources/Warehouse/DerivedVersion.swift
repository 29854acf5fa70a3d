internal import DurableFiles
internal import Reporting
internal import Tables

/// The version of the files of a derived table, which are replaced as a whole.
struct DerivedVersion {
  let table: Table
  /// The version as text.
  let text: String

  /// Reads the version of a table in an output; nil if the output does not have the table.
  init?(of table: Table, in output: String) throws(FileFailure) {
    guard let version = try DurableFolder("\(output)/\(table.name)").version(of: DerivedTable.summaryName) else {
      return nil
    }
    (self.table, text) = (table, version.description)
  }

  /// Indicates that the files in an output still have this version.
  func isCurrent(in output: String) throws(FileFailure) -> Bool {
    try DerivedVersion(of: table, in: output)?.text == text
  }
}
