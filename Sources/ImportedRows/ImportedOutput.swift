internal import DerivedTables
package import DurableFiles
package import InputForms
package import JSON
internal import Ledger
internal import PostbackPipeline
internal import Signatures
package import Tables

/// The table `skan_imported` of an output while it is written. The rows of its vendor replace those that were there before as
/// a whole, and those of other vendors stay, in the order of the names of the vendors.
package final class ImportedOutput {
  /// The counts of the table.
  package private(set) var summary: ImportedSummary
  private let table: DerivedTable
  private let vendor: String
  private let currency: String?
  private let encoding: TableEncoding
  private var encoder: RowEncoder
  /// The rows so far by their keys: the numbers of equal ones.
  private var seen: [UInt128: UInt32] = [:]
  /// The hashes of the rows of transactions by their keys.
  private var contents: [UInt128: Int] = [:]
  /// The first files with a sum of a day, by the hashes of these sums.
  private var sums: [Int: String] = [:]

  private static let batch = 2000
  private static let vendorPlace = Table.imported.place(.vendor)

  /// Begins the table. Throws `.locked` if another process writes it. `currency` is that of revenue whose row does not say it.
  package init(
    _ encoding: TableEncoding,
    in output: String,
    vendor: String,
    currency: String? = nil
  ) throws(FileFailure) {
    table = try DerivedTable(.imported, encoding, in: DurableFolder(making: output).path)
    encoder = RowEncoder(.imported, encoding)
    (self.encoding, self.vendor, self.currency) = (encoding, vendor, currency)
    summary = ImportedSummary(vendor: vendor)
    try table.copy(encoding, without: { $0.text(Self.vendorPlace) ?? "" >= vendor })
  }

  /// Adds the rows of the inputs at some paths, all of which have this form. An input with the content of an earlier one, such as
  /// the compressed copy of a file, is left out: rows of sums would count twice.
  package func add(_ paths: [String], _ form: InputForm) async throws {
    var unwrapper = form.mapping.map { Unwrapper($0) }
    var batches = PostbackReader(inputs: try distinct(InputFile.enumerate(paths, in: form))).makeAsyncIterator()
    while let batch = try await batches.next() {
      var before = 0
      for origin in batch.origins {
        let source = ImportedRow.Source(origin.input.csvHeader, form.mapping)
        for record in batch.records[before..<before + origin.recordCount] {
          summary.read += 1
          let bytes = Array(batch.bytes[record.bytes.indices])
          let json = record.defect != nil ? nil : unwrapper == nil ? bytes : unwrapper?.envelope(of: bytes)
          var reading = json.map { ImportedRow.read($0, form.mapping, source) } ?? .broken
          if case .unreadable = reading, bytes.span.isUTF16 {
            reading = .utf16
            summary.utf16 += 1
          }
          try add(reading, json ?? [], form.mapping, origin.input.path, record.line)
        }
        before += origin.recordCount
      }
    }
  }

  private func distinct(_ inputs: [InputFile]) throws -> [InputFile] {
    guard inputs.count > 1 else { return inputs }
    var paths: [SHA256Digest: String] = [:]
    return try inputs.filter { input in
      guard let digest = try input.textDigest() else { return true }
      guard let earlier = paths[digest] else {
        paths[digest] = input.path
        return true
      }
      summary.repeated.append("\(input.path) (as \(earlier))")
      return false
    }
  }

  private func add(
    _ reading: ImportedRow.Reading,
    _ json: [UInt8],
    _ mapping: Mapping?,
    _ file: String,
    _ line: Int
  ) throws {
    switch reading {
    case .signed: summary.signed += 1
    case .unreadable(let reason): summary.addUnreadable("\(file): line \(line): \(reason)")
    case .row(let row):
      let (identity, isOfTransaction) = row.identity(of: json)
      var key = try Self.digest([vendor, identity])
      let number = seen[key.number, default: 0]
      seen[key.number] = number + 1
      if number > 0 {
        // The same transaction is in two exports; equal rows of sums are different ones.
        guard !isOfTransaction else {
          summary.duplicates += 1
          if contents[key.number] != row.contentHash { summary.differing += 1 }
          return
        }
        key = try Self.digest([vendor, identity, "\(number)"])
      }
      if isOfTransaction {
        contents[key.number] = row.contentHash
      } else if row.isOfSum {
        let hash = row.sumHash
        let first = sums[hash, default: file]
        sums[hash] = first
        if first != file { summary.addOverlap("\(row.place), in \(first) and \(file)") }
      }
      row.encode(into: &encoder, key: key.text, vendor: vendor, currency: currency, file: file, line: line)
      summary.imported += 1
      summary.note(row, isMapped: mapping != nil)
      if row.hasOtherRevenue { summary.revenueLeftOut += 1 }
      if row.hasOtherDate { summary.datesLeftOut += 1 }
      for (column, value) in row.otherValues { summary.valuesLeftOut[column, default: (0, value)].rows += 1 }
      if row.lacksCurrency(orElse: currency) { summary.withoutCurrency += 1 }
      if summary.imported % Self.batch == 0 { try table.append(encoder.take()) }
    }
  }

  private static func digest(_ texts: [String]) throws(LibcryptoFailure) -> (number: UInt128, text: String) {
    var hash = try SHA256()
    let text = String(try hash.hexadecimalDigest(ofJoined: texts).prefix(32))
    return (UInt128(text, radix: 16) ?? 0, text)
  }

  /// Puts the table in the place of the one that was there before.
  package func complete() throws(FileFailure) {
    try table.append(encoder.take())
    try table.copy(encoding, without: { $0.text(Self.vendorPlace) ?? "" <= vendor })
    try table.complete(summary: summary.json.description)
  }
}

/// The counts of `skan_imported`.
package struct ImportedSummary: Sendable {
  /// The vendor of the rows.
  package let vendor: String
  /// The records that were read; each is in one of the other counts.
  package fileprivate(set) var read = 0
  /// The rows of the table.
  package fileprivate(set) var imported = 0
  /// The rows whose transaction another one has.
  package fileprivate(set) var duplicates = 0
  /// Those of them that say something else than the first row of the transaction, which is in the table.
  package fileprivate(set) var differing = 0
  /// The postbacks with a signature, which are not imported.
  package fileprivate(set) var signed = 0
  /// The rows with a revenue that is no amount, which is among their extras.
  package fileprivate(set) var revenueLeftOut = 0
  /// The rows with a date that cannot be read, so that they are of no day.
  package fileprivate(set) var datesLeftOut = 0
  /// The rows with a value that cannot be read, by the columns that have none for that reason, each with the first such value.
  fileprivate var valuesLeftOut: [ColumnName: (rows: Int, first: String)] = [:]
  /// The rows with revenue in no currency, or in one that cannot be read.
  package fileprivate(set) var withoutCurrency = 0
  /// The sums of days that an earlier file has, but for what they measure, and the first of them.
  package private(set) var overlapping = 0
  package private(set) var overlap = ""
  /// The rows without a transaction and without a count, each of which counts one.
  package private(set) var uncounted = 0
  /// The names of extras of those rows, in their order, each with true if all its values may be counts.
  private var wholeExtras = NotedNames()
  /// The names of extras of rows that no mapping was chosen for.
  private var unmappedExtras = NotedNames()
  /// The records that are no rows.
  package private(set) var unreadable = 0
  /// Those of them in UTF-16.
  package fileprivate(set) var utf16 = 0
  /// The places of the first records that are no rows, each with the reason.
  package private(set) var unreadablePlaces: [String] = []

  /// The inputs that were left out, each with the earlier one that has its content.
  package fileprivate(set) var repeated: [String] = []

  fileprivate init(vendor: String) { self.vendor = vendor }

  fileprivate mutating func addOverlap(_ place: String) {
    if overlapping == 0 { overlap = place }
    overlapping += 1
  }

  fileprivate mutating func note(_ row: ImportedRow, isMapped: Bool) {
    if row.isUncounted { uncounted += 1 }
    guard row.isUncounted || !isMapped else { return }
    let names = row.extraNames
    if row.isUncounted { wholeExtras.add(names, isLeft: row.mayBeCount) }
    if !isMapped { unmappedExtras.add(names) { _ in true } }
  }

  /// The extras of rows without a count that have whole numbers alone, and may be the count: those that `fittingMapping` does not
  /// read.
  package var possibleCounts: [String] {
    let read = fittingMapping?.names ?? []
    return wholeExtras.names.filter { !read.contains($0) }
  }

  /// The built-in mapping that reads two or more extras of the rows, for which none was chosen, with their names; nil if none does.
  package var fittingMapping: (mapping: Mapping, names: [String])? {
    let names = unmappedExtras.names
    // Rows of skan_postbacks need no mapping, though Singular has a column skan_revenue too. One name is of many vendors.
    guard !names.contains(ColumnName.postbackKey.rawValue), let found = Mapping.reading(names) else { return nil }
    return found.names.count > 1 ? found : nil
  }

  fileprivate mutating func addUnreadable(_ place: String) {
    unreadable += 1
    if unreadablePlaces.count < 5 { unreadablePlaces.append(place) }
  }

  /// The rows of `valuesLeftOut`, in the order of the columns.
  package var otherValues: [(column: ColumnName, rows: Int, first: String)] {
    Table.imported.columns.compactMap { column in
      valuesLeftOut[column.name].map { (column.name, $0.rows, $0.first) }
    }
  }

  /// The counts as a JSON object.
  package var json: JSONValue {
    .object([
      .init("vendor", .string(vendor)), .init("read", .integer(read)), .init("imported", .integer(imported)),
      .init("duplicates", .integer(duplicates)), .init("differing", .integer(differing)),
      .init("signed", .integer(signed)),
      .init("unreadable", .integer(unreadable)), .init("revenue_left_out", .integer(revenueLeftOut)),
      .init("dates_left_out", .integer(datesLeftOut)), .init("without_currency", .integer(withoutCurrency)),
      .init(
        "values_left_out",
        .object(otherValues.map { .init($0.column.rawValue, .integer($0.rows)) })
      ),
      .init("repeated_inputs", .integer(repeated.count)), .init("overlapping", .integer(overlapping)),
      .init("without_count", .integer(uncounted)),
    ])
  }
}

/// The first names of something in their order, some of which are struck out later.
private struct NotedNames: Sendable {
  private var places: [String: Int] = [:]
  private var struckOut: Set<String> = []
  /// The names that were added last, and the places of those that are not struck out.
  private var last: [String] = []
  private var left: [Int] = []

  /// The names that are left.
  var names: [String] {
    places.filter { !struckOut.contains($0.key) }.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Adds names, and strikes out for good those for whose places `isLeft` is false.
  mutating func add(_ names: [String], isLeft: (Int) -> Bool) {
    if names != last {
      for name in names where places[name] == nil && places.count < CSVHeader.columnLimit {
        places[name] = places.count
      }
      last = names
      left = names.indices.filter { !struckOut.contains(names[$0]) }
    }
    for place in left where !isLeft(place) { struckOut.insert(names[place]) }
    left.removeAll { struckOut.contains(names[$0]) }
  }
}
