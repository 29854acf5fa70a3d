internal import ConversionModel
internal import TableReading

/// A value that is written as a few bytes, and read again from them.
protocol Compact: Sendable {
  func encode(_ writer: inout CompactWriter)
  /// Reads what `encode` has written.
  init(_ reader: inout CompactReader)
}

/// Writes values as bytes: small numbers as one byte, and each text once, where it comes first; after that its number.
struct CompactWriter {
  private var texts: [String: Int] = [:]
  fileprivate var result: ResultWriter

  /// Appends what `body` writes to a result.
  static func write(to result: inout ResultWriter, _ body: (inout CompactWriter) -> Void) {
    var writer = CompactWriter(result: result)
    // The bytes of the result must not be copied.
    result = ResultWriter()
    body(&writer)
    result = writer.result
  }

  /// Appends some values, one after the other. Large collections are faster with `encode`, since their type is known then.
  mutating func append<each Value: Compact>(_ values: repeat each Value) { repeat (each values).encode(&self) }

  fileprivate mutating func append(text: String) {
    if let number = texts[text] { return append(number) }
    append(texts.count, text.utf8.count)
    texts[text] = texts.count
    result.append(own: text.utf8)
  }

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
  fileprivate var result: ResultReader

  /// Reads what was written to a result with `body`.
  static func read(_ result: inout ResultReader, _ body: (inout CompactReader) -> Void) {
    var reader = CompactReader(result: result)
    // The bytes of the result must not be copied.
    result = ResultReader([])
    body(&reader)
    result = reader.result
  }

  /// Reads some values, one after the other.
  mutating func values<each Value: Compact>() -> (repeat each Value) { (repeat (each Value)(&self)) }

  fileprivate mutating func text() -> String? {
    let number = Int(&self)
    guard number == texts.count else { return number < 0 ? nil : texts[number] }
    texts.append(result.text(of: Int(&self)))
    return texts[number]
  }

  /// Reads the number of elements, and calls `body` for each of them.
  mutating func forEach(_ body: (inout CompactReader) -> Void) {
    for _ in 0..<Int(&self) { body(&self) }
  }
}

// MARK: - Values

extension Compact where Self: FixedWidthInteger & SignedInteger {
  /// Appends seven bits a byte; the bits of a negative number are inverted.
  func encode(_ writer: inout CompactWriter) {
    let number = Int64(self)
    writer.result.append(sevenBits: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  init(_ reader: inout CompactReader) {
    let number = reader.result.sevenBits()
    self.init(truncatingIfNeeded: Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
  }
}

extension Compact where Self: FixedWidthInteger & UnsignedInteger {
  func encode(_ writer: inout CompactWriter) { writer.append(Int(self)) }
  init(_ reader: inout CompactReader) { self.init(truncatingIfNeeded: Int(&reader)) }
}

extension Int: Compact {}
extension Int8: Compact {}
extension Int32: Compact {}
extension Int64: Compact {}
extension UInt16: Compact {}
extension UInt32: Compact {}

extension UInt8: Compact {
  func encode(_ writer: inout CompactWriter) { writer.result.append(self) }
  init(_ reader: inout CompactReader) { self = reader.result.integer() }
}

/// A hash, all of whose bytes are written.
extension UInt64: Compact {
  func encode(_ writer: inout CompactWriter) { writer.result.append(self) }
  init(_ reader: inout CompactReader) { self = reader.result.integer() }
}

extension Bool: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(self ? 1 : 0) }
  init(_ reader: inout CompactReader) { self = Int(&reader) == 1 }
}

extension Amount: Compact {
  func encode(_ writer: inout CompactWriter) { writer.result.append(self) }
  init(_ reader: inout CompactReader) { self = reader.result.amount() }
}

extension String: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(text: self) }
  init(_ reader: inout CompactReader) { self = reader.text() ?? "" }
}

extension String?: Compact {
  func encode(_ writer: inout CompactWriter) { if let self { writer.append(text: self) } else { writer.append(-1) } }
  init(_ reader: inout CompactReader) { self = reader.text() }
}

extension Compact where Self: RawRepresentable & CaseIterable, RawValue: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(rawValue) }

  init(_ reader: inout CompactReader) {
    self = Self(rawValue: RawValue(&reader)) ?? Self.allCases[Self.allCases.startIndex]
  }
}

extension Array: Compact where Element: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(self) { $1.encode(&$0) } }

  init(_ reader: inout CompactReader) {
    self = []
    let count = Int(&reader)
    reserveCapacity(count)
    for _ in 0..<count { append(Element(&reader)) }
  }
}

extension Dictionary: Compact where Key: Compact, Value: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(self) { writer, entry in
      entry.key.encode(&writer)
      entry.value.encode(&writer)
    }
  }

  init(_ reader: inout CompactReader) {
    self = [:]
    reader.forEach { self[Key(&$0)] = Value(&$0) }
  }
}
