/// A reader of binary property lists. Values that are used several times count each time, so that a small file cannot become
/// a large tree.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  private var offsets: Range<Int>
  private let offsetSize: Int
  private let referenceSize: Int
  private var objectCount: Int
  private var values = 0

  static func parse(_ bytes: [UInt8]) throws(PropertyListDefect) -> PropertyList {
    var reader = try BinaryPropertyList(bytes)
    return try reader.value(try reader.number(at: bytes.count - 16, size: 8), depth: 0)
  }

  private init(_ bytes: [UInt8]) throws(PropertyListDefect) {
    self.bytes = bytes
    guard bytes.count >= 40 else { throw Self.cut }
    offsetSize = Int(bytes[bytes.count - 26])
    referenceSize = Int(bytes[bytes.count - 25])
    (offsets, objectCount) = (0..<bytes.count, 0)
    let count = try number(at: bytes.count - 24, size: 8)
    let start = try number(at: bytes.count - 8, size: 8)
    let end = bytes.count - 32
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), (8...end).contains(start),
      count > 0, count <= (end - start) / offsetSize
    else { throw Self.cut }
    objectCount = count
    offsets = start..<end
  }

  private static let cut = PropertyListDefect("The file is a damaged binary property list. Build the app again.")

  private func number(at place: Int, size: Int) throws(PropertyListDefect) -> Int {
    guard place >= 0, size > 0, place <= bytes.count - size else { throw Self.cut }
    var number: UInt64 = 0
    for byte in bytes[place..<place + size] {
      guard number < 1 << 55 else { throw Self.cut }
      number = number << 8 | UInt64(byte)
    }
    return Int(number)
  }

  private mutating func value(_ object: Int, depth: Int) throws(PropertyListDefect) -> PropertyList {
    values += 1
    guard values <= PropertyList.mostValues else { throw PropertyListDefect("There are too many values.") }
    guard depth < PropertyList.mostDepth else { throw PropertyListDefect("The values are nested too deeply.") }
    guard object < objectCount else { throw Self.cut }
    let start = try number(at: offsets.lowerBound + object * offsetSize, size: offsetSize)
    guard (8..<offsets.lowerBound).contains(start) else { throw Self.cut }
    let marker = bytes[start]
    switch marker {
    case 0x08: return .boolean(false)
    case 0x09: return .boolean(true)
    case 0x33: return .other("a date")
    default: break
    }
    switch marker >> 4 {
    case 0x1:
      // Numbers of one, two and four bytes have no sign, those of eight have one.
      let size = 1 << Int(marker & 0xF)
      guard size <= 8, start + 1 + size <= offsets.lowerBound else { return .other("a number that is too large") }
      let bits = bytes[(start + 1)..<(start + 1 + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return .integer(Int(Int64(bitPattern: bits)))
    case 0x2: return .other("a number that is not whole")
    case 0x4: return .other("data")
    case 0x5:
      let text = try content(marker, start, size: 1)
      return .string(String(decoding: bytes[text], as: UTF8.self))
    case 0x6:
      let text = try content(marker, start, size: 2)
      let units = stride(from: text.lowerBound, to: text.upperBound, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    case 0x8: return .other("an identifier")
    case 0xA, 0xC:
      var elements: [PropertyList] = []
      let places = try content(marker, start, size: referenceSize)
      for place in stride(from: places.lowerBound, to: places.upperBound, by: referenceSize) {
        elements.append(try value(try number(at: place, size: referenceSize), depth: depth + 1))
      }
      return .array(elements)
    case 0xD:
      let keys = try content(marker, start, size: 2 * referenceSize)
      let half = keys.count / 2
      var members: [PropertyList.Member] = []
      for place in stride(from: keys.lowerBound, to: keys.lowerBound + half, by: referenceSize) {
        guard case .string(let key) = try value(try number(at: place, size: referenceSize), depth: depth + 1) else {
          throw Self.cut
        }
        let member = try value(try number(at: place + half, size: referenceSize), depth: depth + 1)
        members.append(.init(key: key, value: member))
      }
      return .dictionary(members)
    default: throw Self.cut
    }
  }

  /// The range of the content behind a marker, of so many units as it says.
  private func content(_ marker: UInt8, _ start: Int, size: Int) throws(PropertyListDefect) -> Range<Int> {
    var count = Int(marker & 15)
    var place = start + 1
    if count == 15 {
      guard place < bytes.count, bytes[place] >> 4 == 1, bytes[place] & 15 <= 3 else { throw Self.cut }
      let length = 1 << Int(bytes[place] & 15)
      count = try number(at: place + 1, size: length)
      place += 1 + length
    }
    guard place <= offsets.lowerBound, count <= (offsets.lowerBound - place) / size else { throw Self.cut }
    return place..<place + count * size
  }
}
