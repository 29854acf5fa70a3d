package import DurableFiles
package import Ledger

/// The committed rows of an output at one moment, as files, for programs that read the files themselves.
///
/// All tables are of the same commit. As in a `TableFeed`, the parts that are still written and hidden count with the rows
/// that are committed.
package struct CommittedOutput: Sendable {
  private let output: String
  private let reading: LedgerReading

  /// Reads the state of an output without its lock. Throws if the state belongs to another output, or does not
  /// know parts of it.
  package init(_ output: String, state: String) throws(FileFailure) {
    (self.output, reading) = (output, try OutputFolder.reading(output, state: state))
  }

  /// The number of commits.
  package var commits: Int64 { reading.commits }
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  package var committedAt: Int64 { reading.committedAt }

  /// Returns the files with the rows of a table, of JSON Lines if they are written. Throws if a file is gone.
  package func files(of table: Table) throws(FileFailure) -> StoredFiles {
    let parts = reading.parts.filter { $0.table == table.name }
    let format = parts.contains { $0.format == .jsonLines } || parts.isEmpty ? TableFormat.jsonLines : .csv
    var files: [StoredFiles.File] = []
    for part in parts where part.format == format && part.rows > 0 { files.append(try file(of: part)) }
    return .parts(format, files)
  }

  private func file(of part: LedgerPart) throws(FileFailure) -> StoredFiles.File {
    let completePath = "\(output)/\(part.folder)/\(part.name)"
    guard let path = try part.path(in: output) else { throw .gone(completePath) }
    return StoredFiles.File(
      path: path,
      completePath: completePath,
      byteCount: part.length,
      rowCount: part.rows,
      header: part.format == .csv ? try StoredFiles.header(of: path) : []
    )
  }
}

/// The files with the rows of one table.
package enum StoredFiles: Sendable {
  /// The parts of a table of a run that have rows, in order.
  case parts(TableFormat, [File])
  /// The folder of a derived table, which is replaced as a whole, with the names in the header of CSV.
  case folder(TableFormat, String, header: [String])

  /// A file of a part, with the rows that are committed.
  package struct File: Sendable, Equatable {
    /// The path of the file.
    package let path: String
    /// The path that the file gets when it is complete.
    package let completePath: String
    /// The number of committed bytes.
    package let byteCount: Int64
    /// The number of committed rows.
    package let rowCount: Int64
    /// The names in the header of CSV; empty in JSON Lines.
    package let header: [String]

    /// Indicates that no rows follow.
    package var isComplete: Bool { path == completePath }
  }

  /// The files of `s2s_events` in an output, which the receiver appends to; nil if there are none.
  package init?(sessionEventsIn output: String) throws(FileFailure) {
    let folder = "\(output)/\(Table.sessionEvents.name)"
    let names = try DurableFolder(folder).names()
    guard names.contains(where: { $0.hasPrefix(LedgerPart.namePrefix) && $0.hasSuffix(".jsonl") }) else { return nil }
    self = .folder(.jsonLines, folder, header: [])
  }

  /// Finds a derived table in a folder, as JSON Lines if they are written; nil if the folder does not have the table.
  package init?(derived table: Table, in output: String) throws(FileFailure) {
    let folder = "\(output)/\(table.name)"
    let names = try DurableFolder(folder).names()
    for format in TableFormat.allCases {
      // retain and forget remove parts, also the first.
      let parts = names.filter { LedgerPart.number(inName: $0) != nil && $0.hasSuffix(".\(format.rawValue)") }
      guard let first = parts.min() else { continue }
      self = .folder(format, folder, header: format == .csv ? try Self.header(of: "\(folder)/\(first)") : [])
      return
    }
    return nil
  }

  /// Reads the names in the header of a file of CSV.
  fileprivate static func header(of path: String) throws(FileFailure) -> [String] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = try DurableFile(path, .reading).read(into: &bytes, at: 0)
    guard let end = bytes[..<count].firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged(path, "has no header") }
    return bytes[..<end].split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 < 0x20 })
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
