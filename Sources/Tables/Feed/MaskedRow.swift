package import Ledger

/// A row in which text of a person was masked after a follower had read it.
package struct MaskedRow: Sendable {
  /// The row as it was before each time that it was masked.
  package let earlier: [TableRemoval.Row]
  /// The row as it is now; nil if it was removed since on a person's request.
  package let now: RowBatch?
}

/// The places at which rows are that were masked after a follower had read them.
struct MaskedPlaces {
  private var places: [TableCursor.Place: [TableRemoval.Row]] = [:]
  /// The rows that were removed since on a person's request.
  private(set) var removed: [MaskedRow] = []

  /// The least number of a part that has such rows; nil if none has.
  var firstPart: Int? { places.keys.map(\.part).min() }

  /// Returns the rows of a part, each with the offset where it is now, in order.
  func rows(of part: Int) -> [(offset: Int64, rows: [TableRemoval.Row])] {
    places.filter { $0.key.part == part }.map { ($0.key.offset, $0.value) }.sorted { $0.0 < $1.0 }
  }

  /// Adds the rows before a position that a removal has masked, and moves the others to where they are after it. Rows that
  /// are gone because of their age cannot be read, and are left out.
  mutating func add(_ removal: TableRemoval, before cursor: TableCursor, _ format: TableFormat) {
    for row in removal.masked where row.format == format && row.offset < cursor.offset(in: row.part) ?? .max {
      places[TableCursor.Place(part: row.part, offset: row.offset), default: []].append(row)
    }
    let gone = Set(removal.parts.map(\.part.number))
    let moving = places.filter { !gone.contains($0.key.part) }
    places = [:]
    for (place, rows) in moving {
      let before = removal.rows.filter { $0.format == format && $0.part == place.part && $0.offset <= place.offset }
      if before.contains(where: { $0.offset == place.offset }) {
        removed.append(MaskedRow(earlier: rows, now: nil))
      } else {
        let offset = place.offset - before.reduce(0) { $0 + $1.byteCount }
        places[TableCursor.Place(part: place.part, offset: offset)] = rows
      }
    }
  }
}
