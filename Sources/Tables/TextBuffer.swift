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

  /// Makes an empty buffer, with room for `capacity` bytes before it grows.
  package init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { unsafe start.deallocate() }

  /// Moves the text to the end of an array.
  package mutating func move(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    count = 0
  }

  /// Makes room for `room` further bytes.
  private mutating func reserve(_ room: Int) {
    if capacity - count < room { grow(by: room) }
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    capacity = max(2 * capacity, count + room)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe larger.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = larger
  }

  /// Appends a byte.
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe start[count] = byte
    count += 1
  }

  /// Appends bytes.
  package mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { unsafe (start + count).update(from: first, count: source.count) }
    }
    count += bytes.count
  }

  /// Appends a part of an array.
  package mutating func append(_ bytes: [UInt8], in range: Range<Int>) { append(bytes.span.extracting(range)) }

  /// Appends the end of another buffer, from `index` on.
  package mutating func append(_ other: borrowing TextBuffer, from index: Int) {
    precondition(index <= other.count, "the end is there")
    reserve(other.count - index)
    unsafe (start + count).update(from: other.start + index, count: other.count - index)
    count += other.count - index
  }

  /// Appends the output of `write`, at most `room` bytes.
  package mutating func append(upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    reserve(room)
    let free = unsafe UnsafeMutableBufferPointer(start: start + count, count: room)
    var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
    write(&output)
    count += unsafe output.finalize(for: free)
  }

  /// Appends a JSON string with these UTF-8 bytes, quoted and escaped (RFC 8259, section 7).
  package mutating func appendJSONString(_ text: Span<UInt8>) {
    append(UInt8(ascii: "\""))
    let isPlain = appendEscaping(text) { word in
      Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: "\\"))
        | Word.bytes(of: word, below: 0x20)
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
    reserve(2 * text.count + 8)
    return unsafe text.withUnsafeBytes { source in
      var target = unsafe start + count
      var index = 0
      while index < source.count {
        let word: UInt64
        let length = min(source.count - index, 8)
        if length == 8 {
          unsafe word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        } else {
          var rest: UInt64 = 0
          for place in 0..<length { unsafe rest |= UInt64(source[index + place]) << UInt64(8 * place) }
          word = rest
        }
        let plainCount = min(find(word).trailingZeroBitCount / 8, length)
        unsafe UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
        unsafe target += plainCount
        index += plainCount
        guard plainCount < length else { continue }
        let byte = unsafe source[index]
        guard let before = escape(byte) else { return false }
        unsafe target[0] = before
        unsafe target[1] = byte
        unsafe target += 2
        index += 1
      }
      unsafe count = target - start
      return true
    }
  }
}

/// Operations on eight bytes at once, with the first byte lowest. Only the lowest mark in a result is reliable; higher
/// bytes may be marked wrongly.
private enum Word {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Marks, by its top bit, each byte that is below a limit of at most 128.
  package static func bytes(of word: UInt64, below limit: UInt8) -> UInt64 {
    (word &- ones &* UInt64(limit)) & ~word & tops
  }

  /// Marks, by its top bit, each byte that equals `byte`.
  package static func bytes(of word: UInt64, equalTo byte: UInt8) -> UInt64 {
    bytes(of: word ^ (ones &* UInt64(byte)), below: 1)
  }
}

extension Span<UInt8> {
  /// Indicates that a comma, a quote or a control character is among the bytes.
  fileprivate var needsQuotesInCSV: Bool {
    for index in indices {
      let byte = self[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") { return true }
    }
    return false
  }
}
