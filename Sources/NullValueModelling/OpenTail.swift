internal import ConversionModel
internal import Glibc

/// The distribution of revenue above the beginning of a value without an upper limit: a Pareto distribution, as the values
/// below tell it.
///
/// Its exponent is estimated from the highest values with at least 100 users, or half of all payers if they are fewer, and
/// is from 1.5 to 4. Revenue that falls faster, such as lognormal, is below.
struct OpenTail: Equatable, Sendable {
  /// The exponent: above a revenue, the share of users falls with this power of it.
  let exponent: Double
  /// The exponent less its standard error.
  let carefulExponent: Double
  /// The beginning of the highest value without an upper limit.
  let start: Double

  private static let exponents = 1.5...4.0

  /// Fits the tail of values with their numbers of users. Nil if no value is open, or if none below tells the exponent.
  init?(_ values: [(value: ReportedValue, count: Double)]) {
    let paid = values.compactMap { value, count -> (least: Double, most: Double?, count: Double)? in
      guard let least = value.minimum?.approximation, least > 0, count > 0 else { return nil }
      return (least, value.maximum?.approximation, count)
    }
    let users = paid.reduce(0) { $0 + $1.count }
    let open = values.filter { $0.value.estimate != nil && $0.value.maximum == nil }
    guard let start = open.compactMap({ $0.value.minimum?.approximation }).max(), start > 0 else { return nil }
    let wanted = min(100, max(30, users / 2))
    var threshold: Double?
    for least in Set(paid.map(\.least)).sorted(by: >) {
      let above = paid.filter { $0.least >= least }
      guard above.contains(where: { $0.most != nil }) else { continue }
      threshold = least
      if above.reduce(0, { $0 + $1.count }) >= wanted { break }
    }
    guard let threshold else { return nil }
    let upper = paid.filter { $0.least >= threshold }
    let closed = upper.reduce(0) { $1.most == nil ? $0 : $0 + $1.count }
    // The derivative of the logarithm of the likelihood, which falls with the exponent.
    func score(_ exponent: Double) -> Double {
      upper.reduce(0) { sum, value in
        let start = -log(value.least / threshold)
        guard let most = value.most else { return sum + value.count * start }
        let width = log(most / value.least)
        return sum + value.count * (start + (width > 0 ? width / (exp(exponent * width) - 1) : 1 / exponent))
      }
    }
    var (low, estimate) = (0.01, Self.exponents.upperBound)
    if score(estimate) < 0 {
      for _ in 0..<40 {
        let middle = (low + estimate) / 2
        if score(middle) > 0 { low = middle } else { estimate = middle }
      }
    }
    func limited(_ exponent: Double) -> Double {
      min(max(exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
    }
    exponent = limited(estimate)
    carefulExponent = limited(estimate * (1 - 1 / closed.squareRoot()))
    self.start = start
  }

  /// Returns the mean revenue above a beginning, with the careful exponent.
  func mean(above start: Double) -> Double { start * carefulExponent / (carefulExponent - 1) }

  /// Returns the greatest revenue of so many users, which is exceeded with a probability: what one user may add to a sum.
  func greatest(of users: Double, exceeded probability: Double) -> Double {
    users > probability ? start * pow(users / probability, 1 / exponent) : 0
  }
}
