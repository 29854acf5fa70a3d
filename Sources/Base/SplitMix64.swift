/// A generator of random numbers that gives the same numbers for the same seed on every machine (SplitMix64, Steele, Lea and
/// Flood 2014).
///
/// It has its own code for choices, because the standard library may change how it turns random bits into choices.
@available(iOS 18.0, *)
package struct SplitMix64: RandomNumberGenerator, Sendable {
  package var state: UInt64

  /// The difference of two states that follow each other.
  @inlinable package static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// Starts the sequence of a seed.
  @inlinable package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  @inlinable package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// Returns the bits that belong to a state.
  @inlinable package static func mix(_ state: UInt64) -> UInt64 {
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number from 0 up to, not including, `bound`, which must be positive.
  @inlinable package mutating func below(_ bound: Int) -> Int {
    Int(UInt64(bound).multipliedFullWidth(by: next()).high)
  }

  /// Returns a number from 0 up to, not including, 1.
  @inlinable package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
