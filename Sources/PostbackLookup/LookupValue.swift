internal import Base
internal import JSON
internal import Tables

/// A value by which rows are looked up.
package struct LookupValue: Hashable, Sendable {
  /// The kind of a value.
  package enum Kind: UInt64, Sendable {
    /// The key of a postback, 32 hexadecimal digits.
    case key = 1
    /// The transaction of a postback.
    case transaction = 2
  }

  /// The kind.
  package let kind: Kind
  /// The text, in lower case.
  package let text: String

  /// A value; its letter case does not matter.
  package init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text.lowercased()) }

  /// The number under which an index has the value.
  var hash: UInt64 { Self.hash(Array(text.utf8)[...], seed: kind.rawValue) }

  /// Returns a digest of bytes in which letter case does not matter: FNV-1a, and a mixture of its bits.
  static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
    for byte in bytes { hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ hash >> 33
  }
}

/// The columns of a table by which its rows are looked up.
struct LookupColumns: Sendable {
  /// The places of the columns in the table, each with the kind of its values.
  let places: [(place: Int, kind: LookupValue.Kind)]

  /// The columns of a table: the key of the postback, or of the first copy, and the transaction, as far as the table has them.
  init(of table: Table) {
    let kinds: [(ColumnName, LookupValue.Kind)] = [
      (.postbackKey, .key), (.firstSeenPostbackKey, .key), (.transactionID, .transaction),
    ]
    places = kinds.compactMap { name, kind in
      table.columns.firstIndex { $0.name == name }.map { ($0, kind) }
    }
  }

  /// Tells if the current row of a cursor has one of the values.
  func has(_ values: [LookupValue], _ row: borrowing RowCursor) -> Bool {
    for (place, kind) in places {
      guard let cell = row.cell(place) else { continue }
      for value in values where value.kind == kind && value.text.utf8.count == cell.count {
        if String(decoding: row.bytes[cell.indices], as: UTF8.self).lowercased() == value.text { return true }
      }
    }
    return false
  }
}
