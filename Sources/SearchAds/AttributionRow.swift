internal import Ledger
package import Base
package import JSON
package import Signatures
package import Tables

/// A row of `asa_attributions`, whose cells are JSON values by their columns.
package struct AttributionRow: Sendable, Equatable {
  /// The cells that are not null. Their values are of the types of their columns.
  private var cells: [ColumnName: JSONValue] = [:]

  /// The key of the row.
  package var key: String { text(.attributionKey) ?? "" }
  package var outcome: AttributionOutcome {
    get { text(.outcome).flatMap(AttributionOutcome.init) ?? .malformed }
    set { self[.outcome] = .string(newValue.rawValue) }
  }

  /// A row of a record with this key and result.
  package init(key: String, _ outcome: AttributionOutcome, attempts: Int64 = 0) {
    self[.attributionKey] = .string(key)
    self[.attempts] = .integer(attempts)
    self.outcome = outcome
  }

  /// The row that `json` says; nil if that is no row.
  package init?(_ json: JSONValue) {
    guard case .object(let members) = json else { return nil }
    for member in members {
      guard let column = Self.columns[member.key], Self.fits(member.value, column.type) else { return nil }
      cells[column.name] = member.value
    }
    guard cells[.attributionKey] != nil, cells[.outcome] != nil, cells[.attempts] != nil else { return nil }
  }

  /// The row as a JSON object, without cells that are null.
  package var json: JSONValue {
    .object(
      Table.searchAdsAttributions.columns.compactMap { column in
        cells[column.name].map { .init(column.name.rawValue, $0) }
      }
    )
  }

  /// A cell; nil if it is null.
  package subscript(name: ColumnName) -> JSONValue? {
    get { cells[name] }
    set { cells[name] = newValue }
  }

  /// The text of a cell; nil if it has none.
  package func text(_ name: ColumnName) -> String? { cells[name]?.text }
  /// The number in a cell; nil if it has none.
  package func integer(_ name: ColumnName) -> Int64? { cells[name]?.integer }
  /// The time in a cell; nil if it has none.
  package func time(_ name: ColumnName) -> Timestamp? { text(name).flatMap { Timestamp($0) } }
  /// The Boolean in a cell; nil if it has none.
  package func boolean(_ name: ColumnName) -> Bool? {
    guard case .bool(let value)? = cells[name] else { return nil }
    return value
  }

  mutating func flag(_ flag: AttributionFlag) {
    let flags = self[.flags]?.elements ?? []
    let word = JSONValue.string(flag.rawValue)
    if !flags.contains(word) { self[.flags] = .array(flags + [word]) }
  }

  /// Adds fields that have no column.
  mutating func add(_ extras: [JSONValue.Member]) {
    guard !extras.isEmpty else { return }
    if case .object(let members)? = self[.extras] {
      self[.extras] = .object(members + extras)
    } else {
      self[.extras] = .object(extras)
    }
  }

  // MARK: - Columns

  private static let columns = [String: Column](
    uniqueKeysWithValues: Table.searchAdsAttributions.columns.map { ($0.name.rawValue, $0) }
  )

  private static func fits(_ value: JSONValue, _ type: ColumnType) -> Bool {
    switch (type, value) {
    case (.text, .string(let text)): !text.isEmpty
    case (.word(let words), .string(let word)): words.contains(word)
    case (.integer(let range), .number): value.integer.map(range.contains) ?? false
    case (.boolean, .bool): true
    case (.time, .string(let text)): Timestamp(text) != nil
    case (.words(let words), .array(let list)): !list.isEmpty && list.allSatisfy { words.contains($0.text ?? "") }
    case (.object, .object(let members)): !members.isEmpty
    default: false
    }
  }

  package func encode(into encoder: inout RowEncoder) {
    for column in Table.searchAdsAttributions.columns {
      let name = column.name
      switch column.type {
      case .integer: encoder.integer(name, integer(name))
      case .boolean: encoder.boolean(name, boolean(name))
      case .time: encoder.time(name, time(name))
      case .word: encoder.word(name, text(name))
      case .words: encoder.words(name, (self[name]?.elements ?? []).compactMap(\.text))
      case .object:
        guard let value = self[name] else { encoder.null(name); continue }
        var json: [UInt8] = []
        json.appendPortableJSON(Array(value.description.utf8)[...])
        encoder.json(name, json.span)
      default: encoder.text(name, text(name))
      }
    }
    encoder.endRow()
  }
}

/// The keys of rows.
package enum AttributionKey {
  /// Returns the SHA-256 of texts that are joined by U+2063, in hexadecimal digits.
  package static func digest(_ texts: [String]) throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    return try hash.hexadecimalDigest(ofJoined: texts)
  }

  /// Returns the key that a digest begins with.
  package static func key(_ digest: String) -> String { String(digest.prefix(32)) }
}
