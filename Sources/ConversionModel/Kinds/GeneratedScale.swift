internal import JSON

/// The spacing of generated steps.
enum GeneratedScale: String, CaseIterable {
  /// The difference between neighbours is constant.
  case linear
  /// The ratio of neighbours is constant.
  case logarithmic
}

@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the keys `count`, 2 to 64, and `scale` of `buckets`, and generates the steps from `first` to `last`, each
  /// greater than the one before; nil where that is not possible.
  mutating func steps(_ node: JSONNode, from first: UInt64, through last: UInt64) -> [UInt64]? {
    let count = integer(node["count"], in: 2...64)
    let scale = node["scale"].value == nil ? .linear : word(node["scale"], GeneratedScale.self)
    guard let count, let scale else { return nil }
    guard first < last else {
      note(node["max"], "The value must be more than min.")
      return nil
    }
    guard scale == .linear || first > 0 else {
      note(node["min"], "The value must be more than 0 on a logarithmic scale.")
      return nil
    }
    let steps = scale.steps(Int(count), from: first, through: last)
    guard zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 }) else {
      note(node["count"], "There are fewer different steps from min to max, after rounding. Use a smaller count.")
      return nil
    }
    return steps
  }
}

extension GeneratedScale {
  /// Returns `count` whole numbers, at least 2, from `first` to `last` inclusive: the exact steps, rounded down.
  ///
  /// The calculation uses integers only, so the result is the same on every platform. `first` is below `last`, and not
  /// 0 on a logarithmic scale.
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
        // The step is the root of degree `degree` of first^(degree - index) × last^index.
        let degree = count - 1
        let power = Natural(first, count: degree - index, last, count: index)
        steps.append(Self.root(of: power, degree: degree, in: steps[index - 1]..<last))
      }
      return steps + [last]
    }
  }

  /// The greatest whole number in `range` whose power of `degree` is at most `power`; that of the lower bound is.
  private static func root(of power: Natural, degree: Int, in range: Range<UInt64>) -> UInt64 {
    var (low, high) = (range.lowerBound, range.upperBound)
    // Neighbouring roots are close together: the distance doubles until it is too large.
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

/// A whole number of any size, built by multiplication.
private struct Natural {
  /// The 64-bit digits, the lowest first; the highest is not 0.
  private var limbs: [UInt64] = [1]

  /// The product of `count` factors `factor` and `otherCount` factors `other`, neither of them 0.
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
