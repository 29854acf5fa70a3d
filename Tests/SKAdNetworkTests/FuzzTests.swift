import Base
import JSON
import TestSupport
import Testing

@testable import SKAdNetwork

/// A generator of randomly damaged texts.
private struct Mutator {
  var random: SplitMix
  let corpus: [[UInt8]]

  private static let tokens = [
    "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u0000", "\\u2063", "\u{2063}", "null", "true", "0", "-1", "1e999",
    "[]", "999999999999999999999999999999", "\0", "\u{FEFF}", "\"body\":", "\"version\":\"4.0\",", ".", "=", "==",
  ].map { Array($0.utf8) }

  init(seed: UInt64, corpus: [[UInt8]]) {
    random = SplitMix(seed: seed)
    self.corpus = corpus
  }

  mutating func next() -> [UInt8] {
    var text = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...2, using: &random) { mutate(&text) }
    return text
  }

  private mutating func mutate(_ text: inout [UInt8]) {
    let start = Int.random(in: 0...text.count, using: &random)
    let end = min(text.count, start + Int.random(in: 0...12, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0 where start < text.count: text[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where start < text.count: text[start] = UInt8.random(in: 0...255, using: &random)
    case 2: text.removeSubrange(start..<end)
    case 3: text.insert(contentsOf: Self.tokens.randomElement(using: &random) ?? [], at: start)
    case 4: text.replaceSubrange(start..<end, with: Self.tokens.randomElement(using: &random) ?? [])
    case 5: splice(&text, at: start)
    default: text.removeSubrange(start...)
    }
  }

  /// Inserts a piece of one text of the corpus into another.
  private mutating func splice(_ text: inout [UInt8], at position: Int) {
    let other = corpus.randomElement(using: &random) ?? []
    let start = Int.random(in: 0...other.count, using: &random)
    let end = min(other.count, start + Int.random(in: 0...80, using: &random))
    text.insert(contentsOf: other[start..<end], at: position)
  }
}

struct FuzzTests {
  private static let corpus =
    Array(repeatElement(RealPostback.all.map(\.bytes) + Fixtures.lines("forms/envelopes.jsonl"), count: 8).joined())
    + HostileFile.all.filter { $0.judge == "parser" }.flatMap { Fixtures.lines("hostile/" + $0.name) }
    .filter { $0.count < 2000 }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the parser returns a postback or a defect for any damaged text`(seed: UInt64) throws {
    var mutator = Mutator(seed: seed, corpus: Self.corpus)
    var parser = PostbackParser(receivedAtField: "timestamp")
    var counts: [RejectCode?: Int] = [:]
    for _ in 0..<5000 {
      let reading = Reading(mutator.next(), with: &parser)
      counts[reading.defect?.code, default: 0] += 1
      try check(reading)
    }
    // The damage is neither too great to come far nor too small to do anything.
    #expect(counts[nil, default: 0] > 200)
    #expect(counts.count > 8)
  }

  /// Checks that a postback has a message and extras, that a defect has a description, and that all ranges are in the buffer.
  private func check(_ reading: Reading) throws {
    let claims = reading.claims
    for range in [claims.adNetworkID, claims.transactionID, claims.appID, claims.version] {
      if let range { #expect(range.indices.upperBound <= reading.bytes.count) }
    }
    if let defect = reading.defect {
      #expect([.parse, .schema].contains(defect.code.stage))
      #expect(defect.code.stage == .parse || defect.expected != nil)
      if let found = defect.found { #expect(found.indices.upperBound <= reading.bytes.count) }
      return
    }
    let postback = try reading.postback
    for layout in postback.layouts {
      let message = try reading.signedMessage(layout)
      let separators = postback.framework == .skAdNetwork ? postback.signedFields(layout).count - 1 : 0
      #expect(message.unicodeScalars.count { $0 == "\u{2063}" } == separators)
    }
    if let extras = try reading.extras { _ = try JSONValue(parsing: Array(extras.utf8)) }
    #expect(try reading.extras?.utf8.contains(UInt8(ascii: "\n")) != true)
    #expect(try reading.unsignedFields.conflicts(with: reading.unsignedFields).isEmpty)
    _ = postback.tierFlags
  }
}
