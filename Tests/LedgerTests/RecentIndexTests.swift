@testable import Ledger
@testable import PostbackVerification
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@Suite struct `The transaction index` {
  private func digest(_ text: String) throws -> SHA256Digest {
    var hash = try SHA256()
    return try hash.digest(of: Array(text.utf8).span)
  }

  private func key(_ text: String) throws -> PostbackKey { PostbackKey(try digest(text)) }

  @Test func `recognises the first postback and each class of copy`() throws {
    var index = RecentIndex()
    let plain = UnsignedFields(bits: 0, number: nil)
    let edited = UnsignedFields(bits: 21, number: nil)
    let (key, signed, other) = (try key("k"), try digest("a"), try digest("b"))
    #expect(index.admit(.init(key, signed, plain)) == .first)
    #expect(index.admit(.init(key, signed, plain)) == .identical)
    #expect(
      index.admit(.init(key, signed, edited))
        == .conflict([.init(field: .conversionValue, first: nil, later: "20")])
    )
    #expect(index.admit(.init(key, other, plain)) == .transaction)
    #expect(index.admit(.init(try self.key("l"), other, plain)) == .first)
    #expect(index.count == 2)
  }

  @Test func `reports both source apps of a version 1.0, which does not sign them`() throws {
    var index = RecentIndex()
    let (key, signed) = (try key("k"), try digest("a"))
    #expect(index.admit(.init(key, signed, UnsignedFields(bits: 0, number: 5))) == .first)
    #expect(index.admit(.init(key, signed, UnsignedFields(bits: 0, number: 5))) == .identical)
    #expect(
      index.admit(.init(key, signed, UnsignedFields(bits: 0, number: nil)))
        == .conflict([.init(field: .sourceAppID, first: "5", later: nil)])
    )
  }

  @Test func `is exact for many keys in any order`() throws {
    var index = RecentIndex()
    let signed = try digest("a")
    var seen: [String: UInt32] = [:]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50_000 {
      let name = String(Int.random(in: 0..<20_000, using: &generator))
      let bits = UInt32.random(in: 0..<64, using: &generator)
      let admission = index.admit(.init(try key(name), signed, UnsignedFields(bits: bits, number: nil)))
      switch seen[name] {
      case nil:
        #expect(admission == .first)
        seen[name] = bits
      case bits: #expect(admission == .identical)
      default:
        guard case .conflict = admission else {
          Issue.record("\(name) is \(admission)")
          return
        }
      }
    }
    #expect(index.count == seen.count)
  }

  @Test func `is the same when it is rebuilt from the log`() throws {
    var index = RecentIndex()
    var restored = RecentIndex(expecting: 20_000)
    let signed = try digest("a")
    let kept = try (0..<20_000).map { number in
      let unsigned = UnsignedFields(bits: UInt32(number % 64), number: number % 100 == 0 ? Int64(number) : nil)
      #expect(index.admit(.init(try key("\(number)"), signed, unsigned)) == .first)
      return RecentIndex.Seen(try key("\(number)"), signed, unsigned)
    }
    restored.restore(Array(kept[..<7000]))
    restored.restore(Array(kept[6000...]))
    #expect(restored.count == index.count)
    for number in 0..<20_100 {
      let unsigned = UnsignedFields(bits: 5, number: nil)
      let seen = RecentIndex.Seen(try key("\(number)"), signed, unsigned)
      #expect(restored.admit(seen) == index.admit(seen))
    }
  }
}
