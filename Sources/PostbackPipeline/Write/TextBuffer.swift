internal import JSON

/// Text that grows at its end, in memory of its own.
///
/// An array of bytes asks at every append whether somebody else holds it; with forty cells a row that takes longer than
/// writing them.
@safe
struct TextBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes so far.
  private(set) var count = 0

  /// An empty one, with room for so many bytes before it grows.
  init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { unsafe start.deallocate() }

  /// Moves the text to the end of an array.
  mutating func move(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    count = 0
  }

  /// Makes room for so many more bytes.
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
  mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe start[count] = byte
    count += 1
  }

  /// Appends bytes.
  mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { unsafe (start + count).update(from: first, count: source.count) }
    }
    count += bytes.count
  }

  /// Appends a part of an array.
  mutating func append(_ bytes: [UInt8], in range: Range<Int>) { append(bytes.span.extracting(range)) }

  /// Appends the end of another one, from `index` on.
  mutating func append(_ other: borrowing TextBuffer, from index: Int) {
    precondition(index <= other.count, "the end is there")
    reserve(other.count - index)
    unsafe (start + count).update(from: other.start + index, count: other.count - index)
    count += other.count - index
  }

  /// Appends what `write` writes, at most so many bytes.
  mutating func append(upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    reserve(room)
    let free = unsafe UnsafeMutableBufferPointer(start: start + count, count: room)
    var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
    write(&output)
    count += unsafe output.finalize(for: free)
  }

  /// Appends a JSON string with these UTF-8 bytes, quoted and escaped (RFC 8259, section 7).
  mutating func appendJSONString(_ text: Span<UInt8>) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    reserve(2 * text.count + 2)
    var end = count
    unsafe start[end] = quote
    end += 1
    var isPlain = true
    for index in text.indices {
      let byte = text[index]
      // No branch for what comes too often to be foreseen: where no backslash is due, the byte takes its place.
      unsafe start[end] = backslash
      end += byte == quote || byte == backslash ? 1 : 0
      unsafe start[end] = byte
      end += 1
      isPlain = isPlain && byte >= 0x20
    }
    unsafe start[end] = quote
    if isPlain { count = end + 1 } else { appendJSONString(withControls: text) }
  }

  private mutating func appendJSONString(withControls text: Span<UInt8>) {
    var string: [UInt8] = []
    string.appendJSONString(text)
    append(string.span)
  }

  /// Appends a CSV field (RFC 4180), quoted where it has to be. An empty text is quoted, to be told from a null.
  mutating func appendCSVField(_ text: Span<UInt8>) {
    let quote = UInt8(ascii: "\"")
    reserve(2 * text.count + 2)
    var end = count
    unsafe start[end] = quote
    end += 1
    var needsQuotes = text.isEmpty
    for index in text.indices {
      let byte = text[index]
      unsafe start[end] = byte
      end += byte == quote ? 1 : 0
      unsafe start[end] = byte
      end += 1
      needsQuotes = needsQuotes || byte < 0x20 || byte == quote || byte == UInt8(ascii: ",")
    }
    unsafe start[end] = quote
    if needsQuotes { count = end + 1 } else { append(text) }
  }
}
