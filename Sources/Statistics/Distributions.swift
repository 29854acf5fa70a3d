internal import CBoostMath
internal import Glibc

/// Returns the logarithm of the gamma function of a number above 0.
package func logGamma(_ value: Double) -> Double {
  // lgamma writes the sign to a variable that threads share.
  var sign: Int32 = 0
  return unsafe lgamma_r(value, &sign)
}

/// A lower and an upper bound.
package struct Interval: Equatable, Sendable {
  /// The lower bound.
  package var low: Double
  /// The upper bound.
  package var high: Double

  /// Makes an interval from its bounds.
  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}

/// Quantiles of Student's t distribution and of the normal distribution.
package enum Quantile {
  /// Returns the quantile of Student's t distribution. `probability` is above 0 and below 1, `degrees` above 0.
  package static func student(_ probability: Double, degrees: Double) -> Double {
    cboostmath_student_quantile(probability, degrees)
  }

  /// Returns the quantile of the standard normal distribution. `probability` is above 0 and below 1.
  package static func normal(_ probability: Double) -> Double { cboostmath_normal_quantile(probability) }
}

/// A number of successes in a number of trials, with Wilson's interval for the rate (Wilson 1927).
package struct WilsonRate: Equatable, Sendable {
  /// The rate; nil if there are no trials.
  package let rate: Double?
  /// The interval for the rate; nil if there are no trials.
  package let interval: Interval?

  /// Makes the rate of `successes` in `trials`, with an interval at this level.
  package init(_ successes: Int, of trials: Int, level: Double = 0.95) {
    guard trials > 0 else {
      (rate, interval) = (nil, nil)
      return
    }
    let (k, n) = (Double(successes), Double(trials))
    let z = Quantile.normal(1 - (1 - level) / 2)
    let center = k + z * z / 2
    let half = z * (k * (n - k) / n + z * z / 4).squareRoot()
    rate = k / n
    // The exact bounds at the ends, which rounding would miss.
    interval = Interval(
      low: successes == 0 ? 0 : (center - half) / (n + z * z),
      high: successes == trials ? 1 : (center + half) / (n + z * z)
    )
  }
}

/// The beta-binomial distribution: the number of successes in `trials`, where the chance of one is beta distributed.
package struct BetaBinomial: Sendable {
  /// The number of trials.
  package let trials: Int
  /// The first parameter of the beta distribution, above 0.
  package let alpha: Double
  /// The second parameter of the beta distribution, above 0.
  package let beta: Double

  /// Makes a distribution. `trials` is at least 0; both parameters are above 0.
  package init(trials: Int, alpha: Double, beta: Double) {
    self.trials = trials
    self.alpha = alpha
    self.beta = beta
  }

  /// The probability of no success.
  package var chanceOfNone: Double { exp(logarithm(of: 0)) }

  package var mean: Double { Double(trials) * alpha / (alpha + beta) }

  /// Returns the equal-tailed interval at a level: its tails hold at most (1 − level) / 2 each.
  package func interval(level: Double) -> (low: Int, high: Int) {
    let tail = (1 - level) / 2
    var (sum, low) = (0.0, 0)
    var isBelow = true
    for successes in 0...trials {
      sum += exp(logarithm(of: successes))
      if isBelow, sum >= tail { (low, isBelow) = (successes, false) }
      if sum >= 1 - tail { return (low, successes) }
    }
    return (low, trials)
  }

  /// Returns the logarithm of the probability of this number of successes.
  private func logarithm(of successes: Int) -> Double {
    let (x, n) = (Double(successes), Double(trials))
    let choices = logGamma(n + 1) - logGamma(x + 1) - logGamma(n - x + 1)
    return choices + Self.logBeta(x + alpha, n - x + beta) - Self.logBeta(alpha, beta)
  }

  private static func logBeta(_ a: Double, _ b: Double) -> Double { logGamma(a) + logGamma(b) - logGamma(a + b) }
}
