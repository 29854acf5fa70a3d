package import ConversionModel

/// Writes the values of a result as bytes, which it collects, or hands on in portions.
package struct ResultWriter {
  @usableFromInline var storage: [UInt8] = []
  private let take: (([UInt8]) -> Void)?

  /// The number of bytes from which they are handed on.
  private static let portion = 1 << 20

  /// The values that were written, or those that were not handed on yet.
  package var bytes: [UInt8] { storage }

  /// A writer of no values. With `take` it hands the bytes on, so that large results are not in memory a second time; the
  /// last ones with `flush`.
  package init(_ take: (([UInt8]) -> Void)? = nil) { self.take = take }

  /// Hands on the bytes that were written since the last time.
  package mutating func flush() {
    guard let take else { return }
    take(storage)
    storage.removeAll(keepingCapacity: true)
  }

  /// Hands the bytes on if they are many.
  package mutating func flushIfFull() { if storage.count >= Self.portion { flush() } }

  /// Appends a byte.
  package mutating func append(_ number: UInt8) { storage.append(number) }

  // Generic methods that another module calls are fast only if they are inlined; those of the reader are slow even then.

  /// Appends a number, its least byte first.
  @inlinable package mutating func append(_ number: some FixedWidthInteger) { storage.append(littleEndian: number) }

  /// Appends a number with seven bits in each byte, the least ones first; all but the last byte have the upper bit.
  package mutating func append(sevenBits number: UInt64) {
    var rest = number
    while rest > 127 {
      storage.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    storage.append(UInt8(rest))
  }

  /// Appends a number or nil.
  package mutating func append(_ number: Int64?) {
    append(UInt8(number == nil ? 0 : 1))
    append(number ?? 0)
  }

  /// Appends a Boolean value.
  package mutating func append(_ flag: Bool) { storage.append(flag ? 1 : 0) }

  /// Appends a text or nil.
  package mutating func append(_ text: String?) {
    append(text.map { Int64($0.utf8.count) } ?? -1)
    if let text { storage += text.utf8 }
  }

  /// Appends an amount.
  package mutating func append(_ amount: Amount) { storage.append(littleEndian: amount.units) }

  /// Appends some bytes with their number.
  package mutating func append(_ some: ArraySlice<UInt8>) {
    append(some.count)
    storage += some
  }

  /// Appends bytes without their number.
  package mutating func append(own some: some Collection<UInt8>) { storage += some }

  /// Appends the number of elements, and each of them.
  package mutating func append<Elements: Collection>(
    _ elements: Elements,
    _ body: (inout ResultWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements {
      body(&self, element)
      flushIfFull()
    }
  }
}

/// Reads the values of a result in the order in which they were written. The bytes must be whole, which their checksum tells.
package struct ResultReader: Sendable {
  /// The bytes in memory.
  private var bytes: [UInt8]
  /// The number of the bytes in memory that were read.
  private var place: Int
  private let more: (@Sendable (_ offset: Int) -> [UInt8])?
  /// The number of bytes that `more` has returned.
  private var received = 0
  /// Indicates that fewer bytes came than were written, so that what was read has zeros in their place.
  package private(set) var isDamaged = false

  /// A reader of the values that a `ResultWriter` has written, from a place on.
  package init(_ bytes: [UInt8], at place: Int = 0) { (self.bytes, self.place, more) = (bytes, place, nil) }

  /// A reader of bytes of which `more` returns those from an offset on, a portion at a time, so that only some of them are in
  /// memory; none where there are no more.
  package init(_ more: @escaping @Sendable (_ offset: Int) -> [UInt8]) { (bytes, place, self.more) = ([], 0, more) }

  /// Takes care that the next bytes are in memory.
  private mutating func require(_ count: Int) { if count > bytes.count - place { fill(count) } }

  private mutating func fill(_ count: Int) {
    guard let more else { preconditionFailure("more is read than was written") }
    bytes.removeSubrange(..<place)
    place = 0
    while bytes.count < count, !isDamaged {
      let portion = more(received)
      isDamaged = portion.isEmpty
      received += portion.count
      bytes += portion
    }
    if bytes.count < count { bytes += repeatElement(0, count: count - bytes.count) }
  }

  /// Reads a byte.
  package mutating func integer(_: UInt8.Type = UInt8.self) -> UInt8 { read() }

  /// Reads a number.
  package mutating func integer(_: Int.Type = Int.self) -> Int { read() }

  /// Reads a number.
  package mutating func integer(_: Int32.Type = Int32.self) -> Int32 { read() }

  /// Reads a number.
  package mutating func integer(_: Int64.Type = Int64.self) -> Int64 { read() }

  /// Reads a number.
  package mutating func integer(_: UInt32.Type = UInt32.self) -> UInt32 { read() }

  /// Reads a number.
  package mutating func integer(_: UInt64.Type = UInt64.self) -> UInt64 { read() }

  /// Reads a number.
  package mutating func integer(_: UInt128.Type = UInt128.self) -> UInt128 { read() }

  /// Reads a number that `append(sevenBits:)` has written.
  package mutating func sevenBits() -> UInt64 {
    var (number, shift) = (UInt64(0), UInt64(0))
    while true {
      let byte: UInt8 = read()
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return number }
      shift += 7
    }
  }

  private mutating func read<Integer: FixedWidthInteger & BitwiseCopyable>() -> Integer {
    require(MemoryLayout<Integer>.size)
    defer { place += MemoryLayout<Integer>.size }
    return Integer(littleEndian: unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Integer.self))
  }

  /// Reads a number of elements.
  package mutating func count() -> Int { integer() }

  /// Reads a number or nil.
  package mutating func optional() -> Int64? {
    let isThere = flag()
    let number: Int64 = integer()
    return isThere ? number : nil
  }

  /// Reads a Boolean value.
  package mutating func flag() -> Bool { integer(UInt8.self) != 0 }

  /// Reads a text or nil.
  package mutating func optionalText() -> String? {
    let count: Int64 = integer()
    return count < 0 ? nil : text(of: Int(count))
  }

  /// Reads the text in the next bytes.
  package mutating func text(of count: Int) -> String { String(decoding: slice(of: count), as: UTF8.self) }

  /// Reads a text.
  package mutating func text() -> String { optionalText() ?? "" }

  /// Reads an amount.
  package mutating func amount() -> Amount { Amount(units: read()) }

  /// Reads bytes that were written with their number.
  package mutating func slice() -> ArraySlice<UInt8> {
    slice(of: count())
  }

  private mutating func slice(of count: Int) -> ArraySlice<UInt8> {
    require(count)
    defer { place += count }
    return bytes[place..<place + count]
  }

  /// Reads the number of elements, and each of them.
  package mutating func array<Element>(_ body: (inout ResultReader) -> Element) -> [Element] {
    (0..<count()).map { _ in body(&self) }
  }

  /// Reads pairs as a dictionary.
  package mutating func dictionary<Key: Hashable, Value>(
    _ body: (inout ResultReader) -> (Key, Value)
  ) -> [Key: Value] {
    Dictionary(array(body)) { $1 }
  }
}
