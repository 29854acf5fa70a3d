internal import JSON

/// A growing text in memory of its own.
///
/// An array of bytes checks at every append that its storage is not shared; with forty cells a row, the checks take
/// longer than the writing.
@safe
package struct TextBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The number of bytes so far.
  private(set) var count = 0

  /// The unit of copies from one buffer to another. The memory of a buffer goes on for one block behind its capacity, which may be
  /// written over, so that whole blocks are copied where the text ends within one.
  private typealias Block = SIMD32<UInt8>
  private static var blockSize: Int { MemoryLayout<Block>.size }

  /// Makes an empty buffer, with room for `capacity` bytes before it grows.
  package init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity + Self.blockSize)
    self.capacity = capacity
  }

  /// Makes a buffer with a text.
  package init(_ text: [UInt8]) {
    self.init(capacity: text.count)
    append(text.span)
  }

  deinit { unsafe start.deallocate() }

  /// Moves the text to the end of an array.
  package mutating func move(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    count = 0
  }

  /// Makes room for `room` further bytes.
  @inline(__always)
  private mutating func reserve(_ room: Int) {
    if capacity - count < room { grow(by: room) }
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    capacity = max(2 * capacity, count + room)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.blockSize)
    unsafe larger.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = larger
  }

  /// Appends a byte.
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe start[count] = byte
    count += 1
  }

  /// Appends bytes.
  package mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    unsafe advance(to: Self.copy(bytes, to: start + count))
  }

  /// Appends a JSON member with a value that needs no escaping: a part of `members`, which ends with a key, and the value.
  @inline(__always)
  mutating func append(
    _ members: borrowing TextBuffer,
    in range: Range<Int>,
    isQuoted: Bool,
    _ value: Span<UInt8>
  ) {
    reserve(range.count + value.count + 2)
    var end = unsafe Self.copy(members, in: range, to: start + count)
    if isQuoted { unsafe end = Self.put(Self.quote, to: end) }
    unsafe end = Self.copy(value, to: end)
    if isQuoted { unsafe end = Self.put(Self.quote, to: end) }
    unsafe advance(to: end)
  }

  /// Appends a JSON member with a number or a Boolean: a part of `members`, which ends with a key, and the value.
  @inline(__always)
  mutating func append(_ members: borrowing TextBuffer, in range: Range<Int>, _ value: ShortText) {
    reserve(range.count + value.count)
    unsafe advance(to: Self.put(value, to: Self.copy(members, in: range, to: start + count)))
  }

  /// Appends a CSV field that needs no quotes, after some commas.
  @inline(__always)
  mutating func append(commas: Int, _ value: ShortText) {
    reserve(commas + value.count)
    unsafe advance(to: Self.put(value, to: Self.put(Self.comma, commas, to: start + count)))
  }

  /// Appends a CSV field that needs no quotes, after some commas.
  @inline(__always)
  mutating func append(commas: Int, _ value: Span<UInt8>) {
    reserve(commas + value.count)
    unsafe advance(to: Self.copy(value, to: Self.put(Self.comma, commas, to: start + count)))
  }

  /// Appends commas.
  mutating func append(commas: Int) {
    reserve(commas)
    unsafe advance(to: Self.put(Self.comma, commas, to: start + count))
  }

  /// Appends a part of another buffer, after some commas.
  @inline(__always)
  mutating func append(commas: Int, _ other: borrowing TextBuffer, in range: Range<Int>) {
    reserve(commas + range.count)
    unsafe advance(to: Self.copy(other, in: range, to: Self.put(Self.comma, commas, to: start + count)))
  }

  /// Appends a part of another buffer.
  @inline(__always)
  mutating func append(_ other: borrowing TextBuffer, in range: Range<Int>) { append(commas: 0, other, in: range) }

  /// Appends the output of `write`, at most `room` bytes.
  @inline(__always)
  package mutating func append(upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    reserve(room)
    // A whole word may be written where its end is no output.
    let free = unsafe UnsafeMutableBufferPointer(start: start + count, count: room + 8)
    var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
    write(&output)
    count += unsafe output.finalize(for: free)
    precondition(count <= capacity, "the output is longer than it may be")
  }

  private static var quote: UInt8 { UInt8(ascii: "\"") }
  private static var comma: UInt8 { UInt8(ascii: ",") }

  /// Sets the end of the text, which was written up to there.
  @inline(__always)
  private mutating func advance(to end: UnsafeMutablePointer<UInt8>) { unsafe count = end - start }

  /// Writes a byte. Returns the place behind it, as the following functions do.
  @inline(__always)
  private static func put(_ byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    unsafe target.pointee = byte
    return unsafe target + 1
  }

  /// Writes a short text, with what comes behind it in its word.
  @inline(__always)
  private static func put(_ text: ShortText, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: text.bytes.littleEndian, as: UInt128.self)
    return unsafe target + text.count
  }

  /// Writes a byte `number` times, in blocks.
  @inline(__always)
  private static func put(
    _ byte: UInt8,
    _ number: Int,
    to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var offset = 0
    repeat {
      unsafe UnsafeMutableRawPointer(target + offset).storeBytes(of: Block(repeating: byte), as: Block.self)
      offset += blockSize
    } while offset < number
    return unsafe target + number
  }

  /// Copies a part of a buffer, in blocks.
  @inline(__always)
  private static func copy(
    _ buffer: borrowing TextBuffer,
    in range: Range<Int>,
    to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "the part is there")
    let source = unsafe UnsafeRawPointer(buffer.start + range.lowerBound)
    var offset = 0
    repeat {
      let block = unsafe source.loadUnaligned(fromByteOffset: offset, as: Block.self)
      unsafe UnsafeMutableRawPointer(target + offset).storeBytes(of: block, as: Block.self)
      offset += blockSize
    } while offset < range.count
    return unsafe target + range.count
  }

  /// Copies bytes; up to two blocks without a call, in words that overlap.
  @inline(__always)
  private static func copy(
    _ bytes: Span<UInt8>,
    to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let place = UnsafeMutableRawPointer(target)
    unsafe bytes.withUnsafeBytes { source in
      switch source.count {
      case 32...64: unsafe copyEnds(of: source, to: place, as: Block.self)
      case 16..<32: unsafe copyEnds(of: source, to: place, as: SIMD16<UInt8>.self)
      case 8..<16: unsafe copyEnds(of: source, to: place, as: UInt64.self)
      case 4..<8: unsafe copyEnds(of: source, to: place, as: UInt32.self)
      case 2..<4: unsafe copyEnds(of: source, to: place, as: UInt16.self)
      case 1: unsafe copyEnds(of: source, to: place, as: UInt8.self)
      default: if let first = source.baseAddress { unsafe place.copyMemory(from: first, byteCount: source.count) }
      }
    }
    return unsafe target + bytes.count
  }

  /// Copies the first and the last word of bytes, which are at least one word and at most two.
  @inline(__always)
  private static func copyEnds<Word: BitwiseCopyable>(
    of source: UnsafeRawBufferPointer,
    to target: UnsafeMutableRawPointer,
    as word: Word.Type
  ) {
    let last = source.count - MemoryLayout<Word>.size
    unsafe target.storeBytes(of: source.loadUnaligned(as: word), as: word)
    unsafe target.storeBytes(of: source.loadUnaligned(fromByteOffset: last, as: word), toByteOffset: last, as: word)
  }

  /// Appends a JSON string with these UTF-8 bytes, quoted and escaped (RFC 8259, section 7).
  package mutating func appendJSONString(_ text: Span<UInt8>) {
    append(UInt8(ascii: "\""))
    let isPlain = appendEscaping(text) { word in
      Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: "\\"))
        | Word.controls(of: word)
    } escape: { byte in
      byte < 0x20 ? nil : UInt8(ascii: "\\")
    }
    guard !isPlain else { return append(UInt8(ascii: "\"")) }
    count -= 1
    var string: [UInt8] = []
    string.appendJSONString(text)
    append(string.span)
  }

  /// Appends a CSV field (RFC 4180), quoted if necessary. An empty text is quoted, to differ from a null.
  package mutating func appendCSVField(_ text: Span<UInt8>) {
    guard text.isEmpty || text.needsQuotesInCSV else { return append(text) }
    append(UInt8(ascii: "\""))
    _ = appendEscaping(text) { word in
      Word.bytes(of: word, equalTo: UInt8(ascii: "\""))
    } escape: { byte in
      byte
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a text, with an escaping byte before each byte that `find` marks in a word of eight bytes. Returns false,
  /// with nothing appended, if `escape` returns nil for one of them.
  @inline(__always)
  private mutating func appendEscaping(
    _ text: Span<UInt8>,
    _ find: (UInt64) -> UInt64,
    escape: (UInt8) -> UInt8?
  ) -> Bool {
    // Eight bytes are stored at once, of which what is too much is written over.
    reserve(2 * text.count)
    return unsafe text.withUnsafeBytes { source in
      var target = unsafe start + count
      var index = 0
      while index < source.count {
        let word: UInt64
        let length = min(source.count - index, 8)
        if length == 8 {
          unsafe word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        } else if source.count >= 8 {
          let last = unsafe source.loadUnaligned(fromByteOffset: source.count - 8, as: UInt64.self)
          word = last >> UInt64(8 * (8 - length))
        } else {
          var rest: UInt64 = 0
          for place in 0..<length { unsafe rest |= UInt64(source[index + place]) << UInt64(8 * place) }
          word = rest
        }
        unsafe UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
        // The bytes that are not behind `target` yet, and their marks.
        var (rest, marks, restCount) = (word, find(word) & ~0 >> UInt64(64 - 8 * length), length)
        while marks != 0 {
          let plainBits = UInt64(marks.trailingZeroBitCount & ~7)
          unsafe target += Int(plainBits / 8)
          rest >>= plainBits
          guard let before = escape(UInt8(truncatingIfNeeded: rest)) else { return false }
          unsafe target[0] = before
          unsafe UnsafeMutableRawPointer(target + 1).storeBytes(of: rest, as: UInt64.self)
          unsafe target += 2
          rest >>= 8
          marks = (marks >> plainBits) >> 8
          restCount -= Int(plainBits / 8) + 1
        }
        unsafe target += restCount
        index += length
      }
      unsafe count = target - start
      return true
    }
  }
}
