internal import ConversionModel
internal import TableReading

/// A value that is written as a few bytes, and read again from them.
protocol Compact: Sendable {
  func encode(_ writer: inout CompactWriter)
  /// Reads what `encode` has written.
  init(_ reader: inout CompactReader)
}

/// Writes counts as bytes: small numbers as one byte, and each text once, where it comes first; after that its number.
struct CompactWriter {
  private var texts: [String: Int] = [:]
  private var result: ResultWriter

  /// Appends what `body` writes to a result.
  static func write(to result: inout ResultWriter, _ body: (inout CompactWriter) -> Void) {
    var writer = CompactWriter(result: result)
    // The bytes of the result must not be copied.
    result = ResultWriter()
    body(&writer)
    result = writer.result
  }

  /// Appends seven bits a byte; the bits of a negative number are inverted.
  mutating func append(_ number: some FixedWidthInteger & SignedInteger) {
    let number = Int64(number)
    result.append(sevenBits: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func append(_ byte: UInt8) { result.append(byte) }

  mutating func append(_ hash: UInt64) { result.append(hash) }

  mutating func append(_ text: String) {
    if let number = texts[text] { return append(number) }
    append(texts.count)
    texts[text] = texts.count
    append(text.utf8.count)
    result.append(own: text.utf8)
  }

  mutating func append(_ text: String?) {
    guard let text else { return append(-1) }
    append(text)
  }

  mutating func append(_ amount: Amount) { result.append(amount) }

  /// Appends the number of elements, and each of them.
  mutating func append<Elements: Collection>(
    _ elements: Elements,
    _ body: (inout CompactWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements {
      body(&self, element)
      result.flushIfFull()
    }
  }
}

/// Reads what a `CompactWriter` has written, in the same order. The bytes must be whole, which their checksum tells.
struct CompactReader {
  private var texts: [String] = []
  private var result: ResultReader

  /// Reads what was written to a result with `body`.
  static func read(_ result: inout ResultReader, _ body: (inout CompactReader) -> Void) {
    var reader = CompactReader(result: result)
    // The bytes of the result must not be copied.
    result = ResultReader([])
    body(&reader)
    result = reader.result
  }

  mutating func integer<Integer: FixedWidthInteger & SignedInteger>(_: Integer.Type = Integer.self) -> Integer {
    let number = result.sevenBits()
    return Integer(truncatingIfNeeded: Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
  }

  mutating func count() -> Int { integer() }

  mutating func byte() -> UInt8 { result.integer() }

  mutating func hash() -> UInt64 { result.integer() }

  mutating func optionalText() -> String? {
    let number = count()
    guard number == texts.count else { return number < 0 ? nil : texts[number] }
    texts.append(result.text(of: count()))
    return texts[number]
  }

  mutating func text() -> String { optionalText() ?? "" }

  mutating func amount() -> Amount { result.amount() }

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
