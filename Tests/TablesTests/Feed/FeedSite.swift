@testable import DurableFiles
@testable import Ledger
@testable import Tables
import Foundation
import TestSupport

/// An output with a table of numbered rows, to be written in commits.
final class FeedSite {
  let site: StateSite
  /// A table with the name of a real one, so that the output's folder has it, and with three columns.
  static let table = Table(
    name: Table.rejects.name,
    description: "",
    columns: [.field, .found, .expected].map { Column($0, .text, .nullable, "") }
  )
  private let formats: Set<TableFormat>
  private let ledger: Ledger
  private var parts: TableParts
  /// The rows that are committed.
  private(set) var committed = 0
  private var written = 0

  init(_ formats: Set<TableFormat> = [.jsonLines]) throws {
    site = try StateSite()
    self.formats = formats
    ledger = try site.ledger()
    let folder = try OutputFolder(site.output, of: ledger, [])
    parts = try TableParts(Self.table, formats, in: folder, [], lastNumber: 0)
  }

  /// The text of a row: with quotes, line ends and commas, or empty, so that every form of a cell occurs.
  static func text(_ number: Int) -> String {
    switch number % 4 {
    case 0: ""
    case 1: "plain \(number)"
    case 2: "a \"quoted\", text\r\nof 2 lines \(number)"
    default: String(repeating: "long \(number) ", count: number % 50)
    }
  }

  /// Appends rows that are not committed yet.
  func append(_ count: Int, to partition: String = "") throws {
    var encoder = RowEncoder(Self.table, TableEncoding(formats))
    for number in written..<written + count {
      encoder.text(.field, String(number))
      encoder.text(.found, Self.text(number))
      encoder.null(.expected)
      encoder.endRow()
    }
    written += count
    let portion = TablePortion(encoder.take(), in: partition, received: nil, formats: formats)
    for write in try parts.append(portion, limit: .max) { try write.perform() }
  }

  /// Commits the rows, in a part that is complete if `rolls`. Without `publishes` the part keeps its hidden name, as after
  /// a crash.
  func commit(rolls: Bool = false, publishes: Bool = true) throws {
    if rolls { parts.roll() }
    var commit = LedgerCommit(time: 1)
    commit.parts = try parts.synchronize()
    try ledger.commit(commit)
    committed = written
    if publishes { try parts.publish() }
  }

  func write(_ count: Int, rolls: Bool = false) throws {
    try append(count)
    try commit(rolls: rolls)
  }

  func feed(after cursor: TableCursor? = nil, follow: Bool = false, batchBytes: Int = 300) -> TableFeed {
    var feed = TableFeed(Self.table, in: site.output, state: site.state, after: cursor, follow: follow)
    feed.batchBytes = batchBytes
    feed.interval = .milliseconds(2)
    return feed
  }

  /// Reads all committed rows after a cursor. Returns their numbers, and the cursors behind each batch.
  func numbers(
    after cursor: TableCursor? = nil,
    batchBytes: Int = 300
  ) async throws -> (numbers: [Int], cursors: [TableCursor]) {
    var numbers: [Int] = []
    var cursors: [TableCursor] = []
    for try await element in feed(after: cursor, batchBytes: batchBytes) {
      numbers += try Self.numbers(of: element.rows)
      cursors.append(element.cursor)
    }
    return (numbers, cursors)
  }

  /// Returns the numbers of rows, and checks their texts.
  static func numbers(of batch: RowBatch) throws -> [Int] {
    var numbers: [Int] = []
    var row = RowCursor(batch, of: table)
    while row.next() {
      guard let number = row.integer(0).map({ Int($0) }), row.text(1) == text(number), row.text(2) == nil else {
        throw Wrong(row: row.line)
      }
      numbers.append(number)
    }
    guard row.unreadable == UnreadableRows() else { throw Wrong(row: Array((row.unreadable.first ?? "").utf8)) }
    return numbers
  }

  struct Wrong: Error, CustomStringConvertible {
    let row: [UInt8]
    var description: String { String(decoding: row, as: UTF8.self) }
  }
}
