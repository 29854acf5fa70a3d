internal import Base

/// The generator SplitMix64, whose numbers depend only on the seed, so that failures are repeatable.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { generator.next() }
}
