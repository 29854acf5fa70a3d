internal import Base
internal import Glibc

/// A generator of the random numbers of an estimate, which are the same for the same seed on every machine.
package struct DrawnNumbers {
  private var numbers: SplitMix64

  /// The numbers of a seed.
  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  /// The numbers that are the same for the same data.
  package init(of data: [Int]) {
    self.init(
      seed: data.reduce(SplitMix64.increment) {
        (($0 ^ UInt64(bitPattern: Int64($1))) &* 0xBF58_476D_1CE4_E5B9) &+ 1
      }
    )
  }

  /// Returns a number from 0 to below `bound`, which is positive.
  package mutating func below(_ bound: Int) -> Int { numbers.below(bound) }

  /// Returns a number from 0 to below 1.
  package mutating func fraction() -> Double { numbers.fraction() }

  /// Returns a number between 0 and 1, neither of which it is.
  package mutating func uniform() -> Double { (Double(numbers.next() >> 11) + 0.5) / 9_007_199_254_740_992 }

  /// Returns a number of the normal distribution with mean 0 and variance 1.
  package mutating func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * Double.pi * uniform()) }
}
