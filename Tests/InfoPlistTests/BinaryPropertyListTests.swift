import TestSupport
import Testing

@testable import InfoPlist

@Suite struct BinaryPropertyListTests {
  /// The bytes of a binary property list with these objects, of which the first is the root.
  private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
      bytes += object
    }
    let start = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, start] {
      bytes += (0..<8).map { (place: Int) in UInt8(truncatingIfNeeded: number >> (56 - 8 * place)) }
    }
    return bytes
  }

  private static let list = binary([
    [0xD2, 1, 2, 3, 4], [0x51] + Array("a".utf8), [0x61, 0x00, 0xE9], [0xA2, 1, 5], [0x09],
    [0x5F, 0x10, 0x14] + Array("12345678901234567890".utf8),
  ])

  @Test func `a dictionary with texts of both encodings, an array and a Boolean`() throws {
    let expected = PropertyList.dictionary([
      .init(key: "a", value: .array([.string("a"), .string("12345678901234567890")])),
      .init(key: "é", value: .boolean(true)),
    ])
    let (value, format) = try PropertyList.parse(Self.list)
    #expect(value == expected && format == .binary)
  }

  @Test(
    arguments: [
      ([0x10, 0xFF], .integer(255)), ([0x11, 1, 0], .integer(256)),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
      ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
      ([0x13, 0, 0], .other("a number that is too large")),
      ([0x14] + [UInt8](repeating: 0, count: 16), .other("a number that is too large")),
    ] as [([UInt8], PropertyList)]
  )
  func `whole numbers of all sizes`(_ object: [UInt8], _ expected: PropertyList) throws {
    #expect(try PropertyList.parse(Self.binary([object])).value == expected)
  }

  @Test func `an array within itself, and one that doubles at each level, are refused`() {
    #expect(throws: PropertyListDefect.self) { try PropertyList.parse(Self.binary([[0xA1, 0]])) }
    let doubling: [[UInt8]] = (1...40).map { (next: UInt8) in [0xA2, next, next] } + [[0x09]]
    #expect(throws: PropertyListDefect("There are too many values.")) { try PropertyList.parse(Self.binary(doubling)) }
  }

  @Test func `no change of a few bytes crashes the reader`() {
    var random = SplitMix(seed: 7)
    var read = 0
    for _ in 0..<20_000 {
      var bytes = Self.list
      for _ in 0...Int(random.next() % 3) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255)
      }
      if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      if (try? PropertyList.parse(bytes)) != nil { read += 1 }
    }
    #expect(read > 0 && read < 20_000)
  }
}
