package import Ledger

/// A position in the committed rows of a table: a follower has all rows before it, and none after it.
///
/// As text it is `TABLE:GENERATION:PART:OFFSET`, such as `skan_postbacks:0:3:18230`. A follower keeps this text together
/// with what it has made of the rows, and continues from it after a restart. While rows are appended to several parts,
/// those of several days, the text goes on with their positions: `skan_postbacks:0:3:18230,5:99`. At its end is the mark of
/// the commit that the rows were read of, such as `@57-00c3d8f1a2b4e596`: a state that was restored from a backup has
/// other rows at the same positions, and does not have this commit.
package struct TableCursor: Hashable, Sendable {
  /// A position in one part.
  package struct Place: Hashable, Sendable {
    /// The number of the part, from 1.
    package let part: Int
    /// The number of bytes of the part before the position. In CSV the header counts.
    package let offset: Int64

    /// Makes a position.
    package init(part: Int, offset: Int64) { (self.part, self.offset) = (part, offset) }
  }

  /// The name of the table.
  package let table: String
  /// The number of times that the parts of the table were rewritten or removed.
  package let generation: Int
  /// The positions, by part. Earlier parts than the last one that are not among them were read to their ends, and later
  /// parts were not read.
  package let places: [Place]
  /// The mark of a commit that has all rows before the position; nil if an earlier version of the program wrote the cursor
  /// or the rows.
  package var mark: CommitMark?

  /// Makes a cursor with one position.
  package init(table: String, generation: Int, part: Int, offset: Int64) {
    self.init(table: table, generation: generation, places: [Place(part: part, offset: offset)])
  }

  private init(table: String, generation: Int, places: [Place], mark: CommitMark? = nil) {
    (self.table, self.generation, self.places, self.mark) = (table, generation, places, mark)
  }

  /// The last position.
  package var last: Place { places[places.count - 1] }

  /// Returns the number of bytes of a part that were read; nil if all were.
  func offset(in part: Int) -> Int64? {
    part > last.part ? 0 : places.first { $0.part == part }?.offset
  }

  /// Returns the cursor after more of a part was read. The positions in parts that get no more rows and were read to
  /// their ends are left out, but for the last one.
  func moved(to offset: Int64, in part: Int, of parts: [LedgerPart]) -> TableCursor {
    var places = places.filter { $0.part != part } + [Place(part: part, offset: offset)]
    places.sort { $0.part < $1.part }
    let ended = Dictionary(parts.map { ($0.number, $0.phase == .complete ? $0.length : .max) }) { first, _ in first }
    let others = places.dropLast().filter { $0.offset < ended[$0.part] ?? .min }
    return TableCursor(table: table, generation: generation, places: others + places.suffix(1), mark: mark)
  }

  /// Returns the same position after parts or rows were removed from the table.
  func after(_ removal: TableRemoval, _ format: TableFormat) -> TableCursor {
    let parts = Dictionary(
      removal.parts.filter { $0.part.format == format }.map { ($0.part.number, $0.keptLength) }
    ) { first, _ in first }
    let gone = Set(parts.filter { $0.value == nil }.keys)
    var places = places.filter { !gone.contains($0.part) }.map { place in
      if let kept = parts[place.part] ?? nil { return Place(part: place.part, offset: place.offset == 0 ? 0 : kept) }
      let rows = removal.rows.filter { $0.format == format && $0.part == place.part && $0.offset < place.offset }
      return Place(part: place.part, offset: place.offset - rows.reduce(0) { $0 + $1.byteCount })
    }
    if gone.contains(last.part) { places.append(Place(part: last.part, offset: 0)) }
    return TableCursor(table: table, generation: removal.generation, places: places, mark: mark)
  }
}

extension TableCursor: LosslessStringConvertible {
  package var description: String {
    let positions = places.map { "\($0.part):\($0.offset)" }.joined(separator: ",")
    return "\(table):\(generation):\(positions)\(mark.map { "@\($0)" } ?? "")"
  }

  /// Parses the text of a cursor; nil for any other text.
  package init?(_ description: String) {
    let fields = description.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 3, let generation = Int(fields[1]) else { return nil }
    let ends = fields[2].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let mark = ends.count == 2 ? CommitMark(ends[1]) : nil
    let places = ends[0].split(separator: ",", omittingEmptySubsequences: false).compactMap { text -> Place? in
      let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
      guard numbers.count == 2, let part = Int(numbers[0]), let offset = Int64(numbers[1]) else { return nil }
      return part > 0 && offset >= 0 ? Place(part: part, offset: offset) : nil
    }
    guard !places.isEmpty, zip(places, places.dropFirst()).allSatisfy({ $0.part < $1.part }) else { return nil }
    self.init(table: fields[0], generation: generation, places: places, mark: mark)
    guard generation >= 0, !table.isEmpty, self.description == description else { return nil }
  }
}

extension TableCursor: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let cursor = TableCursor(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a cursor of a table")
    }
    self = cursor
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
