internal import ConversionModel

/// The distribution of the revenue of a user who pays.
enum Spending: Sendable {
  /// The user reaches a value of the model, and spends an amount in its range.
  case ofValue
  /// A lognormal amount, whose median is that of the campaign.
  case lognormal(sigma: Double)
  /// A Pareto amount, whose least is that of the campaign.
  case pareto(shape: Double)

  /// Draws the revenue of a payer; nil if it follows from the value. `scale` is the amount of the campaign.
  func draw(scale: Double, _ random: inout SeededGenerator) -> Double? {
    switch self {
    case .ofValue: nil
    case .lognormal(let sigma): scale * DoubleMath.exp(sigma * random.normal())
    case .pareto(let shape): scale * random.pareto(shape: shape)
    }
  }
}

/// A value that means revenue, with the range of it as floating-point numbers.
struct RevenueRange: Sendable {
  let least: Double
  /// The upper limit; nil if there is none.
  let limit: Double?
  /// The estimate of the model.
  let estimate: Double

  init(_ revenue: Revenue) {
    least = Self.number(revenue.minimum)
    limit = revenue.maximum.map(Self.number)
    estimate = Self.number(revenue.estimate)
  }

  private static func number(_ amount: Amount) -> Double { Double(amount.description) ?? 0 }

  /// Draws an amount in the range: uniform by its logarithm, or with a Pareto tail whose mean is the model's estimate.
  func draw(_ random: inout SeededGenerator) -> Double {
    if let limit {
      guard limit > least else { return least }
      let place = random.fraction()
      return least > 0 ? least * DoubleMath.exp(place * DoubleMath.ln(limit / least)) : limit * place
    }
    guard least > 0, estimate > least else { return max(least, estimate) }
    return least * random.pareto(shape: estimate / (estimate - least))
  }

  /// Returns an amount as it is paid, with two decimals and in the range.
  func amount(of number: Double) -> Amount {
    guard limit != least else { return Self.amount(units: (least * 1_000_000).rounded(), decimals: 6) }
    let hundredths = (min(number, 1e9) * 100).rounded(.down)
    if hundredths < least * 100 { return Self.amount(units: (least * 1_000_000).rounded(), decimals: 6) }
    return Self.amount(units: hundredths, decimals: 2)
  }

  private static func amount(units: Double, decimals: Int) -> Amount {
    (try? Amount(parsing: "\(Int(units))e-\(decimals)")) ?? .zero
  }
}

/// Functions of floating-point numbers that are the same on every machine, because they only add, multiply and divide.
enum DoubleMath {
  private static let ln2 = 0x1.62e42fefa39efp-1

  static func exp(_ x: Double) -> Double {
    let power = (x / ln2).rounded()
    let rest = x - power * ln2
    var (sum, term) = (1.0, 1.0)
    for place in 1...16 {
      term = term * rest / Double(place)
      sum += term
    }
    return sum * Double(sign: .plus, exponent: Int(power), significand: 1)
  }

  /// Returns the natural logarithm of a positive number.
  static func ln(_ x: Double) -> Double {
    let part = (x.significand - 1) / (x.significand + 1)
    var (sum, power) = (0.0, part)
    for place in stride(from: 1.0, to: 42, by: 2) {
      sum += power / place
      power *= part * part
    }
    return 2 * sum + Double(x.exponent) * ln2
  }
}

extension SeededGenerator {
  /// Returns a number that is nearly normal, with the mean 0 and the deviation 1: a sum of twelve uniform ones.
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += fraction() }
    return sum
  }

  /// Returns a Pareto number of at least 1.
  mutating func pareto(shape: Double) -> Double { DoubleMath.exp(-DoubleMath.ln(1 - fraction()) / shape) }
}
