internal import Base
package import Ledger
package import DurableFiles

/// A rule by which the parts of a table are spread over folders, as Hive names them.
package enum Partitioning: String, CaseIterable, Sendable {
  /// A folder for each day of receipt in UTC.
  case receivedDay = "received_day"

  /// The value that Hive gives to rows without one.
  private static let unknown = "__HIVE_DEFAULT_PARTITION__"

  /// Returns the name of the folder for a day since 1970, such as `received_day=2026-11-22`. Rows without a time of
  /// receipt have a folder of their own.
  package func name(of day: Int64?) -> String {
    guard let day else { return "\(rawValue)=\(Self.unknown)" }
    return "\(rawValue)=\(Timestamp(milliseconds: day * 86_400_000).description.prefix(Timestamp.dateLength))"
  }

  /// Tells if the name of a folder is one of a partition.
  private static func isPartition(_ name: String) -> Bool { allCases.contains { name.hasPrefix("\($0.rawValue)=") } }

  /// Returns the names of the entries in the folder of a table, and of those in its partitions, sorted by partition; the
  /// partition is empty for entries of the folder itself.
  package static func entries(of folder: String) throws(FileFailure) -> [(partition: String, name: String)] {
    let names = try DurableFolder(folder).names()
    var entries = names.filter { !isPartition($0) }.map { (partition: "", name: $0) }
    for partition in names where isPartition(partition) {
      entries += try DurableFolder("\(folder)/\(partition)").names().map { (partition, $0) }
    }
    return entries
  }
}

/// The rows of a batch that go to one partition of one table.
package struct TablePortion: Sendable {
  package let rows: EncodedRows
  /// The folder of the partition; empty for a table without partitions.
  package let partition: String
  /// The times of receipt of the rows; nil if there are none.
  private(set) var received: ReceiptSpan?
  /// The checksums of the rows in each format.
  let checksums: [TableFormat: UInt32]

  /// Makes a portion of rows in these formats.
  package init(_ rows: EncodedRows, in partition: String = "", received: ReceiptSpan?, formats: Set<TableFormat>) {
    (self.rows, self.partition, self.received) = (rows, partition, received)
    checksums = Dictionary(uniqueKeysWithValues: formats.map { ($0, CRC32(of: rows[$0]).value) })
  }

  /// Returns the portion with a time of receipt that is not before `time`, in milliseconds since 1970.
  package func received(notBefore time: Int64) -> TablePortion {
    var portion = self
    if let newest = received?.newest { portion.received?.newest = max(newest, time) }
    return portion
  }
}
