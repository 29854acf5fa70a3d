/// A generator of random numbers that gives the same numbers for the same seed on every machine (SplitMix64, Steele,
/// Lea and Flood 2014).
///
/// It has its own code for choices, because the standard library may change how it turns random bits into choices.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The purpose of the numbers. Each purpose has a sequence of its own, so that its numbers do not depend on the use
  /// of another.
  enum Purpose: UInt64 {
    case audience, kind, postback, signature, receipt, mediaPlan, volume, crowd, conversion, cost, fraud
    case amount
  }

  private var state: UInt64

  /// Starts the sequence for one purpose of one line. The lines before are not needed.
  init(seed: UInt64, line: Int, _ purpose: Purpose) {
    state = Self.mix(Self.mix(seed &+ purpose.rawValue &* Self.increment) &+ UInt64(truncatingIfNeeded: line))
  }

  /// Starts a sequence for another purpose at the present place of a sequence, which is not moved.
  init(_ purpose: Purpose, beside other: SeededGenerator) {
    state = Self.mix(other.state ^ purpose.rawValue &* Self.increment)
  }

  /// Returns the next 64 bits.
  mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// Returns a number from 0 up to, not including, `bound`, which must be positive.
  mutating func below(_ bound: Int) -> Int { Int(UInt64(bound).multipliedFullWidth(by: next()).high) }

  /// Returns a number in the range.
  mutating func integer(in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(below(Int(range.upperBound - range.lowerBound) + 1))
  }

  /// Returns a number from 0 up to, not including, 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns true in `percent` of a hundred cases.
  mutating func chance(ofHundred percent: Int) -> Bool { below(100) < percent }

  /// Returns one of the choices. There must be at least one.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension SeededGenerator {
  /// Returns a transaction identifier: a random UUID (RFC 9562, version 4), in capitals in one case of five.
  mutating func transactionID() -> String {
    let digits = Array((chance(ofHundred: 20) ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    var high = next()
    var low = next()
    high = high & ~0xF000 | 0x4000
    low = low & ~(3 << 62) | 2 << 62
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
      let word = index < 16 ? high : low
      text.append(digits[Int(word >> UInt64(60 - index % 16 * 4) & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns `count` decimal digits, which may begin with zeros.
  mutating func digits(_ count: Int) -> String {
    String((0..<count).map { _ in Character(Unicode.Scalar(UInt8(ascii: "0") + UInt8(below(10)))) })
  }

  /// Returns an App Store id of an app.
  mutating func storeID() -> Int64 { integer(in: 284_000_000...6_749_999_999) }
}
