/// A coarse conversion value.
public enum CoarseValue: String, CaseIterable, Comparable, Sendable {
  case low
  case medium
  case high

  /// The value's rank: 0 for low, 1 for medium, 2 for high.
  public var rank: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    }
  }

  /// The value with that rank; nil for a rank other than 0, 1 or 2.
  public init?(rank: Int) {
    guard let value = Self.allCases.first(where: { $0.rank == rank }) else { return nil }
    self = value
  }

  /// Tells if `left` ranks below `right`.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// The fine values at which the coarse values of window 0 begin; low begins at 0.
public struct CoarseStarts: Hashable, Sendable {
  /// The fine value at which medium begins.
  public let medium: Int
  /// The fine value at which high begins, after `medium`.
  public let high: Int

  /// The coarse value that belongs to a fine value.
  public func coarse(of fine: Int) -> CoarseValue {
    fine >= high ? .high : fine >= medium ? .medium : .low
  }

  /// The fine values below `count` that belong to a coarse value.
  func fineValues(of coarse: CoarseValue, count: Int) -> Range<Int> {
    let (start, end) =
      switch coarse {
      case .low: (0, medium)
      case .medium: (medium, high)
      case .high: (high, count)
      }
    return min(start, count)..<max(min(end, count), min(start, count))
  }
}

extension CoarseStarts {
  /// The starts that split `count` fine values into thirds; the lower thirds take the remainder.
  init(thirdsOf count: Int) {
    medium = (count + 2) / 3
    high = max((2 * count + 2) / 3, medium + 1)
  }
}

/// The meanings of coarse values that stand for ranges of fine values.
@available(iOS 18.0, *)
extension CoarseStarts {
  /// The meaning of each coarse value: nil where none of its fine values is listed.
  func meanings(over fine: [DecodedMeaning?], hasCurrency: Bool) -> [DecodedMeaning?] {
    CoarseValue.allCases.map { coarse in
      let covered = fine[fineValues(of: coarse, count: fine.count)].compactMap { $0 }
      return covered.isEmpty ? nil : DecodedMeaning(covering: covered, hasCurrency: hasCurrency)
    }
  }
}
