internal import Base

/// A generator of the random numbers of a dump, which are the same for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The purpose of the numbers. Each purpose has a sequence of its own, so that its numbers do not depend on the use
  /// of another.
  enum Purpose: UInt64 {
    case audience, kind, postback, signature, receipt, mediaPlan, volume, crowd, conversion, cost, fraud
    case amount
  }

  private var numbers: SplitMix64

  /// Starts the sequence for one purpose of one line. The lines before are not needed.
  init(seed: UInt64, line: Int, _ purpose: Purpose) {
    let start = SplitMix64.mix(seed &+ purpose.rawValue &* SplitMix64.increment)
    numbers = SplitMix64(seed: SplitMix64.mix(start &+ UInt64(truncatingIfNeeded: line)))
  }

  /// Starts a sequence for another purpose at the present place of a sequence, which is not moved.
  init(_ purpose: Purpose, beside other: SeededGenerator) {
    numbers = SplitMix64(seed: SplitMix64.mix(other.numbers.state ^ purpose.rawValue &* SplitMix64.increment))
  }

  /// Returns the next 64 bits.
  mutating func next() -> UInt64 { numbers.next() }

  /// Returns a number from 0 up to, not including, `bound`, which must be positive.
  mutating func below(_ bound: Int) -> Int { numbers.below(bound) }

  /// Returns a number in the range.
  mutating func integer(in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(below(Int(range.upperBound - range.lowerBound) + 1))
  }

  /// Returns a number from 0 up to, not including, 1.
  mutating func fraction() -> Double { numbers.fraction() }

  /// Returns true in `percent` of a hundred cases.
  mutating func chance(ofHundred percent: Int) -> Bool { below(100) < percent }

  /// Returns one of the choices. There must be at least one.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
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

  /// Returns the id of an ad network, without the framework's ending.
  mutating func networkID() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<10).map { _ in pick(alphabet) })
  }

  /// Returns an App Store id of an app.
  mutating func storeID() -> Int64 { integer(in: 284_000_000...6_749_999_999) }
}
