@testable import PostbackPipeline
import Testing

@Suite struct `A shard` {
  @Test(arguments: ["1/1", "1/4", "4/4", "4096/4096"]) func `is read from its text`(_ text: String) {
    #expect(Shard(text)?.description == text)
  }

  @Test(arguments: [
    "", "1", "0/4", "5/4", "1/0", "1/4097", "-1/4", "1/4/4", "/4", "1/", "a/b", "18446744073709551616/4",
  ])
  func `is refused in other forms`(_ text: String) { #expect(Shard(text) == nil) }

  @Test(arguments: [1, 2, 3, 4, 7, 1000, 4096] as [UInt64]) func `has the numbers with its remainder`(_ count: UInt64)
    throws
  {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let (high, low) = (random.next(), random.next())
      let remainder = (UInt128(high) << 64 | UInt128(low)) % UInt128(count)
      for place in [remainder, (remainder + 1) % UInt128(count)] {
        let shard = try #require(Shard("\(place + 1)/\(count)"))
        #expect(shard.contains(high, low) == (place == remainder))
        #expect(shard.contains(0, 0, high, low) == (place == remainder))
      }
    }
  }
}
