package import ConversionModel

/// The counts of a vendor beside those of accepted postbacks.
package struct VendorSums: Sendable, Equatable {
  /// The postbacks that the vendor counts, and those that Apple signed.
  package var imported: Int64 = 0
  package var verified: Int64 = 0
  /// The rows with a transaction, and those of which an accepted postback has it.
  package var transactions: Int64 = 0
  package var matched: Int64 = 0
  /// The matched rows by their value beside that of the postback.
  package var values = VendorValues()
  /// The revenue by currency.
  package var importedRevenue: [String: Amount] = [:]
  package var verifiedRevenue: [String: Amount] = [:]

  /// The currency of all revenue of both sides; nil if there is none, or of several.
  package var currency: String? {
    let currencies = Set(importedRevenue.keys).union(verifiedRevenue.keys)
    return currencies.count == 1 ? currencies.first : nil
  }

  package static func += (left: inout Self, right: Self) {
    left.imported += right.imported
    left.verified += right.verified
    left.transactions += right.transactions
    left.matched += right.matched
    left.values += right.values
    left.importedRevenue.merge(right.importedRevenue, uniquingKeysWith: +)
    left.verifiedRevenue.merge(right.verifiedRevenue, uniquingKeysWith: +)
  }
}

/// Matched rows by the value of the vendor beside that of the accepted postback.
package struct VendorValues: Sendable, Equatable {
  package var equal: Int64 = 0
  package var different: Int64 = 0
  /// Those of the different ones in which the vendor's is the higher one of two fine, or of two coarse values.
  package var higher: Int64 = 0
  package var zeroForNull: Int64 = 0
  package var importedOnly: Int64 = 0
  package var verifiedOnly: Int64 = 0
  package var absentBoth: Int64 = 0

  /// The rows with a value on either side, which were compared.
  package var compared: Int64 { equal + different + zeroForNull + importedOnly + verifiedOnly }
  /// The rows with a value that the postback does not have.
  package var others: Int64 { different + importedOnly }

  package static func += (left: inout Self, right: Self) {
    left.equal += right.equal
    left.different += right.different
    left.higher += right.higher
    left.zeroForNull += right.zeroForNull
    left.importedOnly += right.importedOnly
    left.verifiedOnly += right.verifiedOnly
    left.absentBoth += right.absentBoth
  }

  /// Counts a matched row. A postback whose value is contradicted is not compared.
  mutating func add(_ imported: VendorValue, beside verified: VendorValue) {
    switch (imported, verified) {
    case (_, .contradicted): break
    case (.none, .none): absentBoth += 1
    case let (one, other) where one == other: equal += 1
    case let (one, .none): if one.rawValue == 0 { zeroForNull += 1 } else { importedOnly += 1 }
    case (.none, _): verifiedOnly += 1
    case let (one, other):
      different += 1
      if one.isComparable(with: other), one.rawValue > other.rawValue { higher += 1 }
    }
  }
}
