internal import Base
internal import DurableFiles
internal import Ledger
internal import Tables

extension LoadSession {
  /// Takes back the rows of a table that were loaded up to `position` and are not of the output as it is now. Returns the position
  /// at which both agree.
  func rewind(
    _ table: Table,
    from position: String,
    _ count: inout LoadTally.Count
  ) throws(LoadFailure) -> String {
    guard try position.isEmpty ? holdsRows(table) : !isOfOutput(position) else { return position }
    var place = (position: "", time: String?.none)
    for point in try points.all(of: table.name, on: connection) where try isOfOutput(point.position) {
      place = (point.position, point.time)
      break
    }
    if place.time == nil { try refuseLoss(of: table) }
    count.removed += try points.remove(loaded(table), after: place.time, on: connection)
    return place.position
  }

  /// Indicates that a table of the database has rows.
  func holdsRows(_ table: Table) throws(LoadFailure) -> Bool {
    try !connection.run("SELECT 1 FROM \(loaded(table).name) LIMIT 1", doing: "a query").rows.isEmpty
  }

  /// Indicates that the output has all rows before a position.
  private func isOfOutput(_ position: String) throws(LoadFailure) -> Bool {
    guard let mark = TableCursor(position)?.mark else { return false }
    return try Loader.reading { () throws(FileFailure) in try Ledger.has(mark, source.state) }
  }

  /// Throws if all rows of a table would be removed, and the output no longer has some of them because of their age.
  private func refuseLoss(of table: Table) throws(LoadFailure) {
    let end = try Loader.reading { () throws(FileFailure) in
      try Ledger.newestRemovedReceipt(source.state, of: table.name)
    }
    guard let end else { return }
    throw .database(
      DatabaseFailure(
        .configuration,
        """
        No position is known up to which the rows of \(table.name) in the database are those of the output, and rows up to \
        \(Timestamp(milliseconds: end)) were removed from the output because of their age, so they cannot be loaded again
        """,
        advice: """
          Nothing was changed. Copy the table first, such as with CREATE TABLE … AS, then drop it and its row of \
          \(LoadCursors.name), and load again
          """
      )
    )
  }
}
