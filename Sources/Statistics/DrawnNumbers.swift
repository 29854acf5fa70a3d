internal import Glibc

/// A generator of random numbers that gives the same numbers for the same seed on every machine (SplitMix64, Steele, Lea and
/// Flood 2014).
package struct DrawnNumbers {
  private var state: UInt64

  /// The numbers of a seed.
  package init(seed: UInt64) { state = seed }

  /// The numbers that are the same for the same data.
  package init(of data: [Int]) {
    state = data.reduce(0x9E37_79B9_7F4A_7C15) { (($0 ^ UInt64(bitPattern: Int64($1))) &* 0xBF58_476D_1CE4_E5B9) &+ 1 }
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number from 0 to below `bound`, which is positive.
  package mutating func below(_ bound: Int) -> Int { Int(UInt64(bound).multipliedFullWidth(by: next()).high) }

  /// Returns a number from 0 to below 1.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a number between 0 and 1, neither of which it is.
  package mutating func uniform() -> Double { (Double(next() >> 11) + 0.5) / 9_007_199_254_740_992 }

  /// Returns a number of the normal distribution with mean 0 and variance 1.
  package mutating func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * Double.pi * uniform()) }
}
