internal import JSON

/// How generated steps grow.
enum Scale: String, CaseIterable {
  /// By the same difference.
  case linear
  /// By the same factor.
  case logarithmic
}

extension ModelReader {
  /// The steps that the keys `count`, 2 to 64, and `scale` of `buckets` ask for: from `first` to `last`, each greater than
  /// the one before.
  mutating func steps(_ node: JSONNode, from first: UInt64, through last: UInt64) -> [UInt64]? {
    let count = integer(node["count"], in: 2...64)
    let scale = node["scale"].value == nil ? .linear : word(node["scale"], Scale.self)
    guard let count, let scale else { return nil }
    guard first < last else {
      note(node["max"], "must be more than min")
      return nil
    }
    guard scale == .linear || first > 0 else {
      note(node["min"], "must be more than 0 on a logarithmic scale")
      return nil
    }
    let steps = scale.steps(Int(count), from: first, through: last)
    guard zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 }) else {
      note(node["count"], "is more than there are different steps from min to max, rounded; use fewer")
      return nil
    }
    return steps
  }
}

extension Scale {
  /// So many whole numbers, at least 2, from `first` to `last`, both included: the exact steps, rounded down.
  ///
  /// Integers only, so that they are the same everywhere. `first` is below `last`, and not 0 on a logarithmic scale.
  func steps(_ count: Int, from first: UInt64, through last: UInt64) -> [UInt64] {
    switch self {
    case .linear:
      return (0..<count).map { index in
        let product = (last - first).multipliedFullWidth(by: UInt64(index))
        return first + UInt64(count - 1).dividingFullWidth(product).quotient
      }
    case .logarithmic:
      var steps = [first]
      for index in 1..<(count - 1) {
        // The step is the root of that degree of first^(degree - index) × last^index.
        let degree = count - 1
        let power = Natural(first, count: degree - index, last, count: index)
        steps.append(Self.root(of: power, degree: degree, in: steps[index - 1]..<last))
      }
      return steps + [last]
    }
  }

  /// The greatest whole number in `range` whose power is not above `power`; that of the lower bound is not.
  private static func root(of power: Natural, degree: Int, in range: Range<UInt64>) -> UInt64 {
    var (low, high) = (range.lowerBound, range.upperBound)
    // Roots of neighbours are near each other: the distance doubles until it is too far.
    var distance: UInt64 = 1
    while distance < high - low {
      guard Natural(low + distance, count: degree) <= power else {
        high = low + distance
        break
      }
      low += distance
      distance = distance.multipliedReportingOverflow(by: 2).partialValue
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if Natural(middle, count: degree) <= power { low = middle } else { high = middle }
    }
    return low
  }
}

/// A whole number of any size, made by multiplying.
private struct Natural {
  /// Lowest first; none is 0 at the end.
  private var limbs: [UInt64] = [1]

  /// A product of `count` times `factor` and `otherCount` times `other`, none of them 0.
  init(_ factor: UInt64, count: Int, _ other: UInt64 = 1, count otherCount: Int = 0) {
    for _ in 0..<count { multiply(by: factor) }
    for _ in 0..<otherCount { multiply(by: other) }
  }

  private mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = limbs[index].multipliedFullWidth(by: factor)
      let (sum, overflow) = product.low.addingReportingOverflow(carry)
      limbs[index] = sum
      carry = product.high + (overflow ? 1 : 0)
    }
    if carry > 0 { limbs.append(carry) }
  }

  static func <= (left: Natural, right: Natural) -> Bool {
    guard left.limbs.count == right.limbs.count else { return left.limbs.count < right.limbs.count }
    for index in left.limbs.indices.reversed() where left.limbs[index] != right.limbs[index] {
      return left.limbs[index] < right.limbs[index]
    }
    return true
  }
}
