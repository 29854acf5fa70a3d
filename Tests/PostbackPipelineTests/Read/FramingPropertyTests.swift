import JSON
import TestSupport
import Testing

@testable import PostbackPipeline

/// Properties of framing that hold for every text.
@Suite struct `Framing of random text` {
  private static let seeds = Array(UInt64(1)...40)

  /// A text of the framing cases with random changes.
  private func mutated(_ generator: inout SplitMix) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      text += FramingCase.all.randomElement(using: &generator)?.text.utf8.map { $0 } ?? []
      if Bool.random(using: &generator) { text.append(UInt8(ascii: "\n")) }
    }
    let alphabet = Array("{}[]\",\\\n\r  :a1\u{FEFF}".utf8)
    for _ in 0..<Int.random(in: 0...6, using: &generator) where !text.isEmpty {
      let index = Int.random(in: 0..<text.count, using: &generator)
      let byte = alphabet.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: text[index] = byte
      case 1: text.insert(byte, at: index)
      default: text.remove(at: index)
      }
    }
    return text
  }

  private func solid(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.filter { !$0.isWhitespace }
  }

  @Test(arguments: seeds) func `neither loses nor repeats a byte`(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    for _ in 0..<200 {
      let text = mutated(&generator)
      var framer = try Framer(limits: ReadLimits())
      #expect(try framer.frame(text.span) == text.count)
      try framer.finish()
      let (bytes, records) = framer.take()
      var rest = solid(text)[...]
      for record in records {
        let wanted = solid(bytes[record.bytes.indices])
        // Between records there are only separators.
        while !rest.starts(with: wanted), let byte = rest.first, "[],".utf8.contains(byte) { rest.removeFirst() }
        #expect(rest.starts(with: wanted), "\(String(decoding: text, as: UTF8.self))")
        rest = rest.dropFirst(wanted.count)
      }
      #expect(rest.allSatisfy { "[],".utf8.contains($0) }, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(arguments: seeds) func `gives the same records for chunks of any size`(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    for _ in 0..<100 {
      let text = mutated(&generator)
      let limits = ReadLimits(recordBytes: Int.random(in: 1...40, using: &generator))
      let whole = try framed(text, limits: limits)
      for chunk in [1, 2, 3, 7] {
        #expect(try framed(text, chunk: chunk, limits: limits) == whole, "\(String(decoding: text, as: UTF8.self))")
      }
    }
  }

  @Test(arguments: seeds) func `limits a broken line to its own record`(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    let postback = "{\"version\":\"4.0\",\"list\":[1,{\"a\":\"\\\"}\"}],\"transaction-id\":\"x\"}"
    for _ in 0..<100 {
      let broken = postback.prefix(Int.random(in: 1..<postback.count, using: &generator))
      let records = try framed(
        "\(postback)\n\(broken)\n\(postback)\n[\(postback),\n\(broken)\n\(postback)]\n\(postback)\n"
      )
      #expect(records.count { $0.text == postback } == 5, "\(broken)")
      #expect(records.allSatisfy { $0.text == postback || $0.text == broken || $0.defect != nil })
    }
  }
}
