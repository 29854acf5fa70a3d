package import DurableFiles
internal import JSON
package import Tables

/// A file of a derived table that is not as it was committed.
package struct ChangedFile: Sendable {
  /// The name of the table.
  package let table: String
  /// The name of the file in the folder of the table.
  package let name: String
  /// A sentence on the file, without its full stop.
  package let finding: String
  /// Indicates that the file has its length, so that only a reading of all bytes finds it.
  package let hasLength: Bool
}

extension DerivedManifest {
  /// Returns the files of the tables in a folder, or of one table, that are missing, or do not have the length that they were
  /// committed with. Of the summaries, and of some tables, the bytes are read and compared with the checksums.
  func changedFiles(
    in folder: String,
    of only: String? = nil,
    readingBytesOf isRead: (String) -> Bool = { _ in false }
  ) throws(FileFailure) -> [ChangedFile] {
    var changed: [ChangedFile] = []
    for (table, sums) in files.sorted(by: { $0.key < $1.key }) where table == only ?? table {
      let place = DurableFolder("\(folder)/\(table)")
      for (name, sum) in sums.sorted(by: { $0.key < $1.key }) {
        let length = try place.byteCount(of: name)
        var finding: String?
        if let length, length != sum.byteCount {
          finding = "The file has \(length) bytes, and \(sum.byteCount) are committed"
        } else if length == nil {
          finding = "The file is missing"
        } else if isRead(table) || name == DerivedTable.summaryName, try !sum.isRight("\(place.path)/\(name)") {
          finding = "The file does not have the checksum with which it was committed"
        }
        guard let finding else { continue }
        changed.append(ChangedFile(table: table, name: name, finding: finding, hasLength: length == sum.byteCount))
      }
    }
    return changed
  }
}

extension DerivedSnapshot {
  /// Returns the files of the tables that are not as they were committed. Only with `readsBytes` are all bytes read.
  package func changedFiles(readsBytes: Bool = false) throws(FileFailure) -> [ChangedFile] {
    try manifest.changedFiles(in: folder) { _ in readsBytes }
  }

  /// Throws `.damaged` if a file of a table is missing or has another length than it was committed with: a reader would take the
  /// rest for all rows.
  package func verify(_ table: Table) throws(FileFailure) {
    if let file = try manifest.changedFiles(in: folder, of: table.name).first { throw failure(file) }
  }

  /// The failure for a file that is not as it was committed.
  func failure(_ file: ChangedFile) -> FileFailure {
    let advice = "Give postback refresh, which makes the table again or says what to do"
    return FileFailure(.damaged, "\(output)/\(file.table)/\(file.name)", file.finding, advice: advice)
  }
}

extension FileSum {
  /// The checksums of files as a JSON object.
  static func json(_ sums: [String: FileSum]) -> JSONValue {
    .object(sums.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value.text)) })
  }

  /// Reads what `json` has returned; what is something else is left out.
  static func read(_ value: JSONValue) -> [String: FileSum] {
    let sums = (value.members ?? []).map { ($0.key, $0.value.text.flatMap { FileSum($0) }) }
    return Dictionary(sums) { $1 }.compactMapValues(\.self)
  }

  /// Tells if a file has these bytes.
  fileprivate func isRight(_ path: String) throws(FileFailure) -> Bool {
    try DurableFile(path, .reading).readPrefix(byteCount).map { FileSum($0, count: Int(byteCount)) } == self
  }
}
