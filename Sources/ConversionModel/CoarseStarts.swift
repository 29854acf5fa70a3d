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
