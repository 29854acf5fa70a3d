internal import Glibc

/// Random numbers that are the same for the same data.
package struct DataRandom {
  private var state: UInt64

  /// Numbers that follow from the data.
  package init(seed: [Int]) {
    state = seed.reduce(0x9E37_79B9_7F4A_7C15) { (($0 ^ UInt64(bitPattern: Int64($1))) &* 0xBF58_476D_1CE4_E5B9) &+ 1 }
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number from 0 up to, not including, a bound.
  package mutating func below(_ bound: Int) -> Int { Int(UInt64(bound).multipliedFullWidth(by: next()).high) }

  /// A number between 0 and 1.
  package mutating func uniform() -> Double { (Double(next() >> 11) + 0.5) / 9_007_199_254_740_992 }

  /// A number of the normal distribution with mean 0 and variance 1.
  package mutating func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * Double.pi * uniform()) }
}
