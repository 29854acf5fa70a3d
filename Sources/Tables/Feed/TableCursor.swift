/// A position in the committed rows of a table: a follower has all rows before it, and none after it.
///
/// As text it is `TABLE:GENERATION:PART:OFFSET`, such as `skan_postbacks:0:3:18230`. A follower keeps this text together
/// with what it has made of the rows, and continues from it after a restart.
package struct TableCursor: Hashable, Sendable {
  /// The name of the table.
  package let table: String
  /// The number of times that the parts of the table were rewritten or removed.
  package let generation: Int
  /// The number of the part, from 1.
  package let part: Int
  /// The number of bytes of the part before the position. In CSV the header counts.
  package let offset: Int64

  /// Makes a cursor.
  package init(table: String, generation: Int, part: Int, offset: Int64) {
    (self.table, self.generation, self.part, self.offset) = (table, generation, part, offset)
  }
}

extension TableCursor: LosslessStringConvertible {
  package var description: String { "\(table):\(generation):\(part):\(offset)" }

  /// Parses the text of a cursor; nil for any other text.
  package init?(_ description: String) {
    let fields = description.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 4, let generation = Int(fields[1]), let part = Int(fields[2]), let offset = Int64(fields[3])
    else { return nil }
    self.init(table: fields[0], generation: generation, part: part, offset: offset)
    guard generation >= 0, part > 0, offset >= 0, !table.isEmpty, self.description == description else { return nil }
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
