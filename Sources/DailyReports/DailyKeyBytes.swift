internal import JSON
internal import Tables

/// A list of values, each a text or null, as bytes that can be compared and hashed. Equal lists have equal bytes.
struct DailyKeyBytes: Hashable, Sendable {
  private(set) var bytes: [UInt8] = []

  /// The values whose bytes these are.
  init(_ bytes: ArraySlice<UInt8> = []) { self.bytes = Array(bytes) }

  /// Feeds all bytes to a hasher at once, which is much faster than one after the other.
  func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends a null.
  mutating func appendNull() { bytes.append(0) }

  /// Appends the text of a cell.
  mutating func append(_ column: Int, of row: borrowing RowCursor) {
    guard let cell = row.cell(column) else { return appendNull() }
    appendCount(cell.indices.count)
    bytes.append(cell, of: row.bytes)
  }

  /// Appends a text.
  mutating func append(_ text: String?) {
    guard let text else { return appendNull() }
    appendCount(text.utf8.count)
    bytes += text.utf8
  }

  /// Appends a text.
  mutating func append(_ text: Span<UInt8>) {
    appendCount(text.count)
    bytes.append(copying: text)
  }

  /// The length of a text, plus 1, in one byte or in five.
  private mutating func appendCount(_ count: Int) {
    if count < 254 { return bytes.append(UInt8(count + 1)) }
    bytes.append(255)
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
  }

  var values: [String?] {
    var values: [String?] = []
    var rest = bytes[...]
    while let first = rest.popFirst() {
      guard first > 0 else {
        values.append(nil)
        continue
      }
      var count = Int(first) - 1
      if first == 255 {
        count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
      }
      values.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return values
  }
}

/// Numbers for keys, from 0 in the order in which the keys were first seen.
struct DailyKeyNumbers: Sendable {
  private(set) var keys: [DailyKeyBytes] = []
  private var numbers: [DailyKeyBytes: UInt32] = [:]

  /// The keys in the order of their numbers.
  init(_ keys: [DailyKeyBytes] = []) { for key in keys { _ = number(of: key) } }

  /// Returns the number of a key, and tells if it is new.
  mutating func number(of key: DailyKeyBytes) -> (number: UInt32, isNew: Bool) {
    if let known = numbers[key] { return (known, false) }
    let number = UInt32(keys.count)
    numbers[key] = number
    keys.append(key)
    return (number, true)
  }
}
