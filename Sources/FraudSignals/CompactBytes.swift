internal import ConversionModel
internal import TableReading

/// A value that is written as a few bytes, and read again from them.
protocol Compact: Sendable {
  func encode(_ writer: inout CompactWriter)
  /// Reads what `encode` has written.
  init(_ reader: inout CompactReader)
}

/// Writes counts as bytes: small numbers as one byte, and each text once.
///
/// The bytes begin with the number of those before the texts, which are the last, so that large counts are in memory only once.
struct CompactWriter {
  private var texts = Numbering<String>()
  private var body = [UInt8](repeating: 0, count: 8)

  /// Appends all that was written to a result.
  consuming func write(to result: inout ResultWriter) {
    var end = ResultWriter()
    end.append(texts.values) { $0.append($1) }
    body.replaceSubrange(0..<8, with: [UInt8](littleEndian: body.count))
    body += end.bytes
    result.append(own: body)
  }

  /// Appends seven bits a byte; the bits of a negative number are inverted.
  mutating func append(_ number: some FixedWidthInteger & SignedInteger) {
    let number = Int64(number)
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    while rest > 127 {
      body.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    body.append(UInt8(rest))
  }

  mutating func append(_ byte: UInt8) { body.append(byte) }

  mutating func append(_ hash: UInt64) { body.append(littleEndian: hash) }

  mutating func append(_ text: String) { append(texts.number(of: text)) }

  mutating func append(_ text: String?) {
    guard let text else { return append(-1) }
    append(text)
  }

  mutating func append(_ amount: Amount) { body.append(littleEndian: amount.units) }

  /// Appends the number of elements, and each of them.
  mutating func append<Elements: Collection>(
    _ elements: Elements,
    _ body: (inout CompactWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements { body(&self, element) }
  }
}

/// Reads what a `CompactWriter` has written, in the same order. The bytes must be whole, which their checksum tells.
struct CompactReader {
  private let bytes: [UInt8]
  private let texts: [String]
  private var place: Int

  /// Takes what was written from a result.
  init(_ result: inout ResultReader) {
    let start = result.place
    let length = result.count()
    (bytes, place) = (result.bytes, result.place)
    result.place = start + length
    texts = result.array { $0.text() }
  }

  mutating func integer<Integer: FixedWidthInteger & SignedInteger>(_: Integer.Type = Integer.self) -> Integer {
    var (number, shift) = (UInt64(0), UInt64(0))
    while true {
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 127) << shift
      if byte < 128 { break }
      shift += 7
    }
    return Integer(truncatingIfNeeded: Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
  }

  mutating func count() -> Int { integer() }

  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return bytes[place]
  }

  mutating func hash() -> UInt64 {
    defer { place += 8 }
    return bytes.integer(at: place)
  }

  mutating func optionalText() -> String? {
    let number = count()
    return number < 0 ? nil : texts[number]
  }

  mutating func text() -> String { optionalText() ?? "" }

  mutating func amount() -> Amount {
    defer { place += 16 }
    return Amount(units: bytes.integer(at: place))
  }

  /// Reads the number of elements, and calls `body` for each of them.
  mutating func forEach(_ body: (inout CompactReader) -> Void) {
    for _ in 0..<count() { body(&self) }
  }
}

extension String: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(self) }
  init(_ reader: inout CompactReader) { self = reader.text() }
}

extension Int: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(self) }
  init(_ reader: inout CompactReader) { self = reader.count() }
}
