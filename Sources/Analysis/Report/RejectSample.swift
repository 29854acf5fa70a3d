internal import TableReading

/// A sample of rejects, drawn evenly from each code: the rows with the smallest SHA-256 of their raw bytes.
///
/// The sample does not depend on the order of reading, on the number of cores, or on the parts that are read.
package struct RejectSample: Sendable {
  fileprivate struct Entry: Sendable {
    let digest: String
    let line: [UInt8]

    static func precedes(_ one: Entry, _ other: Entry) -> Bool {
      one.digest == other.digest
        ? one.line.lexicographicallyPrecedes(other.line) : one.digest < other.digest
    }
  }

  /// The rejects of a code.
  fileprivate struct Code: Sendable {
    let name: String
    /// The number of all rejects.
    var count = 0
    /// Those that may be in the sample.
    var entries: [Entry] = []
    /// The length of their rows, in bytes.
    var bytes = 0
    /// The last entry that was kept when others behind it were removed; nil if none were.
    fileprivate var last: Entry?

    mutating func add(_ entry: Entry) {
      if let last, Entry.precedes(last, entry) { return }
      entries.append(entry)
      bytes += entry.line.count
    }

    /// Keeps the first entries, at most `most` of them, and none behind the one with which their rows are too long.
    mutating func trim(to most: Int) {
      entries.sort(by: Entry.precedes)
      bytes = 0
      let end = entries.firstIndex { entry in
        bytes += entry.line.count
        return bytes > mostBytesOfCode
      }
      let kept = min(most, end.map { $0 + 1 } ?? entries.count, entries.count)
      if kept < entries.count { last = entries[kept - 1] }
      entries.removeSubrange(kept...)
      bytes = entries.reduce(0) { $0 + $1.line.count }
    }
  }

  /// The maximum number of rows, of all codes together.
  package let limit: Int
  private var codes: [Code] = []
  /// The length, in bytes, of all rows that are kept, and that above which rows are removed.
  private var (bytes, mostBytes) = (0, Self.leastRoom)
  /// Indicates that no code is left out.
  private(set) var isWhole = true

  init(limit: Int) { self.limit = limit }

  /// The maximum number of distinct codes; rows of further codes are left out.
  private static let mostCodes = 64
  /// The maximum length, in bytes, of all rows of one code in the sample.
  fileprivate static let mostBytesOfCode = 1 << 20
  /// The length of rows, in bytes, up to which none are removed.
  private static let leastRoom = 8 << 20

  mutating func add(_ line: [UInt8], digest: String, code: String) {
    guard let place = place(of: code) else { return }
    codes[place].count += 1
    add(Entry(digest: digest, line: line), at: place)
  }

  mutating func merge(_ later: RejectSample) {
    isWhole = isWhole && later.isWhole
    for code in later.codes {
      guard let place = place(of: code.name) else { continue }
      codes[place].count += code.count
      for entry in code.entries { add(entry, at: place) }
    }
  }

  /// Adds a row of a code. If all rows are too long, those are removed that can no longer be in the sample: however many more
  /// rejects come, no code has a larger share.
  private mutating func add(_ entry: Entry, at place: Int) {
    bytes -= codes[place].bytes
    codes[place].add(entry)
    bytes += codes[place].bytes
    guard bytes > mostBytes else { return }
    trim()
    mostBytes = max(2 * bytes, Self.leastRoom)
  }

  private mutating func trim() {
    let most = (shares.map(\.share).max() ?? 0) + 1
    for place in codes.indices { codes[place].trim(to: most) }
    bytes = codes.reduce(0) { $0 + $1.bytes }
  }

  private mutating func place(of code: String) -> Int? {
    if let place = codes.firstIndex(where: { $0.name == code }) { return place }
    guard codes.count < Self.mostCodes else {
      isWhole = false
      return nil
    }
    codes.append(Code(name: code))
    return codes.count - 1
  }

  /// The codes with the numbers of their rows in the sample, if these are short enough. Every code has an equal share of
  /// `limit`; codes with more rows also get the places that others do not need.
  private var shares: [(place: Int, share: Int)] {
    var left = limit
    let order = codes.indices.sorted { (codes[$0].count, codes[$0].name) < (codes[$1].count, codes[$1].name) }
    return order.enumerated().map { index, place in
      let share = min(left / (order.count - index), codes[place].count)
      left -= share
      return (place, share)
    }
  }

  /// The rows of the sample, code by code.
  package var rows: [(code: String, line: [UInt8])] {
    shares.flatMap { place, share in
      var bytes = 0
      return codes[place].entries.sorted(by: Entry.precedes).prefix(share)
        .prefix { entry in
          bytes += entry.line.count
          return bytes <= Self.mostBytesOfCode
        }
        .map { (codes[place].name, $0.line) }
    }
  }
}

extension RejectSample {
  /// Writes the sample without rows that cannot be in that of more rejects: of these, no code has a larger share.
  func encode(_ writer: inout ResultWriter) {
    writer.append(limit)
    var sample = self
    sample.trim()
    writer.append(sample.codes) { writer, code in
      writer.append(code.name)
      writer.append(code.count)
      writer.append(code.entries) { writer, entry in
        writer.append(entry.digest)
        writer.append(entry.line[...])
      }
    }
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    limit = reader.count()
    codes = reader.array { reader in
      var code = Code(name: reader.text(), count: reader.count())
      for entry in reader.array({ Entry(digest: $0.text(), line: Array($0.slice())) }) { code.add(entry) }
      return code
    }
    bytes = codes.reduce(0) { $0 + $1.bytes }
    mostBytes = max(2 * bytes, Self.leastRoom)
  }
}
