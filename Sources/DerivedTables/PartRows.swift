internal import DurableFiles
package import Ledger
package import PostbackPipeline
package import TableReading
package import Tables

/// The rows of a derived table that belong to a part of `skan_postbacks`, in files of a cache.
package struct PartRows: Sendable {
  /// The number of rows.
  package let count: Int
  /// The names of the files, with the checksums of their bytes, by format.
  private let sums: [TableFormat: (name: String, sum: FileSum)]

  /// The names and the lengths of the files, by format.
  package var files: [TableFormat: (name: String, length: Int64)] { sums.mapValues { ($0.name, $0.sum.byteCount) } }

  /// The identity of the rows as JSON Lines, whatever the name of the file; empty if there are none.
  package static func identity(_ path: String) throws(PipelineFailure) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let folder = DurableFolder(String(path[..<slash]))
    let name = String(path[path.index(after: slash)...])
    return try PipelineFailure.state { () throws(FileFailure) in try folder.version(of: name)?.content ?? "" }
  }

  /// Reads what `encode` has written; nil if a file is missing, or has another length.
  package init?(_ reader: inout ResultReader, in cache: PartCache) throws(PipelineFailure) {
    count = reader.count()
    sums = reader.dictionary { reader in
      (TableFormat(rawValue: reader.text()) ?? .jsonLines, (reader.text(), FileSum(reader.text()) ?? FileSum()))
    }
    for file in files.values {
      let isThere = try PipelineFailure.state { () throws(FileFailure) in try cache.has(file.name, file.length) }
      guard isThere else { return nil }
    }
  }

  fileprivate init(_ count: Int, _ sums: [TableFormat: (name: String, sum: FileSum)]) {
    (self.count, self.sums) = (count, sums)
  }

  package func encode(_ writer: inout ResultWriter) {
    writer.append(count)
    writer.append(sums) { writer, file in
      writer.append(file.key.rawValue)
      writer.append(file.value.name)
      writer.append(file.value.sum.text)
    }
  }

  /// Adds the rows to a table as the part with a number, if there are any.
  package func add(to table: DerivedTable, number: Int, from cache: PartCache) throws(PipelineFailure) {
    guard count > 0 else { return }
    try PipelineFailure.state { () throws(FileFailure) in
      try table.addPart(number) { format, path throws(FileFailure) in
        guard let file = sums[format] else { return nil }
        try cache.link(file.name, to: path)
        return file.sum
      }
    }
  }
}

/// Writes the rows of a derived table that belong to a part of `skan_postbacks`.
package final class PartRowsWriter {
  /// The number of bytes after which the system is asked to begin writing them to the disk.
  private static let writingBytes = 8 << 20

  private let cache: PartCache
  private let part: String
  private let table: Table
  private var files: [(format: TableFormat, file: DurableFile, sum: FileSum)] = []
  private var count = 0
  private var unwritten = 0

  /// Begins the rows of a table that belong to the part with a name.
  package init(_ part: String, _ table: Table, _ encoding: TableEncoding, in cache: PartCache) throws(PipelineFailure) {
    (self.cache, self.part, self.table) = (cache, part, table)
    files = try PipelineFailure.state { () throws(FileFailure) in
      var files: [(TableFormat, DurableFile, FileSum)] = []
      for format in TableFormat.allCases where encoding.formats.contains(format) {
        let file = try cache.begin(Self.name(part, table, format))
        let header = format == .csv ? table.csvHeader : []
        try file.append(header.span)
        files.append((format, file, FileSum(of: header)))
      }
      return files
    }
  }

  private static func name(_ name: String, _ table: Table, _ format: TableFormat) -> String {
    "\(name).\(table.name).\(format.rawValue)"
  }

  package func append(_ rows: EncodedRows) throws(PipelineFailure) {
    count += rows.count
    unwritten += rows.jsonLines.count + rows.csv.count
    try PipelineFailure.state { () throws(FileFailure) in
      for index in files.indices {
        let (format, file, _) = files[index]
        try file.append(rows[format].span)
        files[index].sum.add(rows[format])
        if unwritten >= Self.writingBytes { file.beginWriting() }
      }
    }
    if unwritten >= Self.writingBytes { unwritten = 0 }
  }

  /// Makes the rows durable, in files whose names begin with `name`.
  package func finish(_ name: String) throws(PipelineFailure) -> PartRows {
    try PipelineFailure.state { () throws(FileFailure) in
      var finished: [TableFormat: (String, FileSum)] = [:]
      for (format, file, sum) in files {
        try file.synchronize()
        let name = Self.name(name, table, format)
        finished[format] = (name, sum)
        try cache.publish(Self.name(part, table, format), as: name)
      }
      return PartRows(count, finished)
    }
  }
}
