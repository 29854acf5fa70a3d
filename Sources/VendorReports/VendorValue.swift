internal import Base

/// A conversion value as one number, or the reason for which there is none.
struct VendorValue: RawRepresentable, Hashable, Sendable {
  /// 0 to 63 for fine values, and 64 to 66 for low, medium and high.
  let rawValue: UInt8

  /// No value.
  static let none = VendorValue(rawValue: 255)
  /// Copies of the postback that came as a device's own contradict each other, so that no value counts.
  static let contradicted = VendorValue(rawValue: 254)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The fine value, or else the coarse one.
  init(fine: Int64?, coarse: String?) {
    let rank = coarse.flatMap { ["low", "medium", "high"].firstIndex(of: $0) }
    if let fine, (0...63).contains(fine) {
      rawValue = UInt8(fine)
    } else {
      rawValue = rank.map { UInt8(64 + $0) } ?? Self.none.rawValue
    }
  }

  var isValue: Bool { rawValue <= 66 }
  private var isCoarse: Bool { (64...66).contains(rawValue) }

  /// Indicates that both are fine, or both coarse, so that one may be the higher one.
  func isComparable(with other: Self) -> Bool { isValue && other.isValue && isCoarse == other.isCoarse }
}

/// The number of a transaction and its window, which is the same for the same letters in either case.
enum TransactionNumber {
  private static let hash = SipHash(key: 0, 0)

  static func of(_ transaction: some Collection<UInt8>, window: Int64) -> UInt64 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(transaction.count + 1)
    for byte in transaction { bytes.append((65...90).contains(byte) ? byte | 0x20 : byte) }
    bytes.append(UInt8(truncatingIfNeeded: window))
    return hash.hash(of: bytes.span)
  }
}
