import TableReading
import TestSupport
import Testing

@testable import FraudSignals

/// Counts of more keys, records or days than are kept.
@Suite struct `Counts beyond a limit` {
  private struct Record: DrawnRecord, Equatable {
    let number: Int

    var hash: UInt16 {
      var hash = StableHash()
      hash.add(number)
      return UInt16(truncatingIfNeeded: hash.value)
    }

    init(_ number: Int) { self.number = number }

    func encode(_ writer: inout CompactWriter) { writer.append(number) }

    init(_ reader: inout CompactReader) { number = Int(&reader) }
  }

  private struct Name: DrawnKey {
    let text: String

    init(_ number: Int) { text = "name \(number)" }

    func add(to hash: inout StableHash) { hash.add(text) }

    func encode(_ writer: inout CompactWriter) { writer.append(text) }

    init(_ reader: inout CompactReader) { text = String(&reader) }
  }

  /// Divides numbers in a random order into parts.
  private func parts(seed: UInt64, of numbers: [Int]) -> [ArraySlice<Int>] {
    var random = SplitMix(seed: seed)
    let shuffled = numbers.shuffled(using: &random)
    let size = 1 + Int(random.next() % UInt64(numbers.count))
    return stride(from: 0, to: shuffled.count, by: size).map { shuffled[$0..<min($0 + size, shuffled.count)] }
  }

  @Test(arguments: 1..<20) func `keys are the same in any order and division, also as bytes`(seed: UInt64) {
    func table(_ parts: [ArraySlice<Int>]) -> DrawnTable<Name, Int, 100> {
      var all = DrawnTable<Name, Int, 100>()
      for part in parts {
        var table = DrawnTable<Name, Int, 100>()
        for number in part { table.add(Name(number % 700), number) }
        var read = DrawnTable<Name, Int, 100>()
        Self.write({ table.encode(&$0) }, andRead: { read = DrawnTable(&$0) })
        all.merge(read)
      }
      return all
    }
    let numbers = Array(0..<2000)
    let (whole, divided) = (table([numbers[...]]), table(parts(seed: seed, of: numbers)))
    #expect(whole.entries == divided.entries && (20...100).contains(whole.entries.count))
    #expect(whole.leftOut == divided.leftOut && whole.leftOut + whole.entries.values.reduce(0, +) == 1999 * 1000)
  }

  @Test(arguments: 1..<20) func `records are the same in any order and division`(seed: UInt64) {
    func list(_ parts: [ArraySlice<Int>]) -> DrawnList<Record, 300> {
      var all = DrawnList<Record, 300>()
      for part in parts {
        var list = DrawnList<Record, 300>()
        for number in part { list.append(Record(number)) }
        all.merge(list) { $0 }
      }
      all.sort { $0.number < $1.number }
      return all
    }
    let numbers = Array(0..<2000)
    let (whole, divided) = (list([numbers[...]]), list(parts(seed: seed, of: numbers)))
    #expect(whole.records == divided.records && (100...300).contains(whole.records.count))
    #expect(whole.leftOut == divided.leftOut && whole.leftOut + whole.records.count == 2000)
  }

  @Test(arguments: 1..<10) func `days before the last two thousand are one day in any order`(seed: UInt64) {
    func series(_ parts: [ArraySlice<Int>]) -> [DaySeries.Cell] {
      var all = DaySeries()
      for part in parts {
        var series = DaySeries()
        for day in part { series.add(DaySeries.Cell(day: Int32(day), count: Int32(day % 2), total: 1)) }
        all += series
      }
      return all.cells
    }
    let days = Array(0..<2500)
    let whole = series([days[...]])
    #expect(whole == series(parts(seed: seed, of: days)))
    #expect(whole.count == 2000 && whole[0].day == 500 && whole[0].total == 501)
  }

  /// Writes between other bytes, in whole and in portions, and reads both.
  private static func write(_ write: (inout CompactWriter) -> Void, andRead read: (inout CompactReader) -> Void) {
    var portions: [[UInt8]] = []
    var written = ResultWriter()
    var handedOn = ResultWriter { portions.append($0) }
    for place in 0..<2 {
      var writer = place == 0 ? written : handedOn
      writer.append(true)
      CompactWriter.write(to: &writer, write)
      writer.append(UInt32(4711))
      if place == 0 { written = writer } else { handedOn = writer }
    }
    handedOn.flush()
    #expect(handedOn.bytes.isEmpty && Array(portions.joined()) == written.bytes)
    var result = ResultReader(written.bytes)
    let flag = result.flag()
    CompactReader.read(&result, read)
    let end: UInt32 = result.integer()
    #expect(flag && end == 4711)
  }

  @Test func `numbers and texts keep their content as bytes`() {
    let numbers: [Int64] = [0, -1, 63, 64, -64, 1 << 40, .max, .min]
    let texts: [String?] = ["", "é", nil, "é", "a"]
    Self.write {
      for number in numbers { $0.append(number) }
      for text in texts { $0.append(text) }
      $0.append(UInt64.max - 1)
    } andRead: { reader in
      #expect(numbers.map { _ in Int64(&reader) } == numbers)
      #expect(texts.map { _ in String?(&reader) } == texts)
      #expect(UInt64(&reader) == UInt64.max - 1)
    }
  }

  @Test func `many bytes are handed on in portions`() {
    var read = 0
    Self.write(
      { $0.append(0..<600_000) { $0.append($1) } },
      andRead: { reader in
        reader.forEach {
          #expect(Int(&$0) == read)
          read += 1
        }
      }
    )
    #expect(read == 600_000)
    var portions: [Int] = []
    var writer = ResultWriter { portions.append($0.count) }
    CompactWriter.write(to: &writer) { $0.append(0..<600_000) { $0.append($1) } }
    writer.flush()
    #expect(portions.count > 1 && portions.allSatisfy { $0 <= 1 << 20 + 16 })
  }
}
