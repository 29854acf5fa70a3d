internal import ConversionModel

/// Writes the values of a result as bytes.
struct ResultWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: some FixedWidthInteger) { bytes.append(littleEndian: number) }

  mutating func append(_ number: Int64?) {
    append(UInt8(number == nil ? 0 : 1))
    append(number ?? 0)
  }

  mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func append(_ text: String?) {
    append(text.map { Int64($0.utf8.count) } ?? -1)
    if let text { bytes += text.utf8 }
  }

  mutating func append(_ amount: Amount) { append(amount.units) }

  mutating func append(_ some: ArraySlice<UInt8>) {
    append(some.count)
    bytes += some
  }

  /// Appends the number of elements, and each of them.
  mutating func append<Elements: Collection>(
    _ elements: Elements,
    _ body: (inout ResultWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements { body(&self, element) }
  }
}

/// Reads the values of a result in the order in which they were written. The bytes must be whole, which their checksum tells.
struct ResultReader {
  private let bytes: [UInt8]
  /// The number of the bytes that were read.
  private(set) var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type = Integer.self) -> Integer {
    defer { place += Integer.bitWidth / 8 }
    return bytes.integer(at: place)
  }

  mutating func count() -> Int { integer() }

  mutating func optional() -> Int64? {
    let isThere = flag()
    let number: Int64 = integer()
    return isThere ? number : nil
  }

  mutating func flag() -> Bool { integer(UInt8.self) != 0 }

  mutating func optionalText() -> String? {
    let count: Int64 = integer()
    guard count >= 0 else { return nil }
    defer { place += Int(count) }
    return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
  }

  mutating func text() -> String { optionalText() ?? "" }

  mutating func amount() -> Amount { Amount(units: integer()) }

  mutating func slice() -> ArraySlice<UInt8> {
    let count = count()
    defer { place += count }
    return bytes[place..<place + count]
  }

  /// Reads the number of elements, and each of them.
  mutating func array<Element>(_ body: (inout ResultReader) -> Element) -> [Element] {
    (0..<count()).map { _ in body(&self) }
  }

  /// Reads pairs as a dictionary.
  mutating func dictionary<Key: Hashable, Value>(_ body: (inout ResultReader) -> (Key, Value)) -> [Key: Value] {
    Dictionary(array(body)) { $1 }
  }
}
