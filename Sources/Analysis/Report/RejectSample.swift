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

    mutating func add(_ entry: Entry) {
      entries.append(entry)
      bytes += entry.line.count
    }

    /// Keeps the first entries, at most `most` of them, and none behind the one with which their rows are too long.
    mutating func trim(to most: Int) {
      entries.sort(by: Entry.precedes)
      bytes = 0
      let end = entries.firstIndex { entry in
        bytes += entry.line.count
        return bytes > mostBytes
      }
      entries.removeSubrange(min(most, end.map { $0 + 1 } ?? entries.count, entries.count)...)
      bytes = entries.reduce(0) { $0 + $1.line.count }
    }
  }

  /// The maximum number of rows, of all codes together.
  package let limit: Int
  private var codes: [Code] = []
  /// Indicates that no code is left out.
  private(set) var isWhole = true

  init(limit: Int) { self.limit = limit }

  /// The maximum number of distinct codes; rows of further codes are left out.
  private static let mostCodes = 64
  /// The maximum length, in bytes, of all rows of one code in the sample.
  private static let mostBytes = 4 << 20

  mutating func add(_ line: [UInt8], digest: String, code: String) {
    guard let place = place(of: code) else { return }
    codes[place].count += 1
    codes[place].add(Entry(digest: digest, line: line))
    trim(codes[place], at: place, from: 4 * limit)
  }

  mutating func merge(_ later: RejectSample) {
    isWhole = isWhole && later.isWhole
    for code in later.codes {
      guard let place = place(of: code.name) else { continue }
      codes[place].count += code.count
      for entry in code.entries { codes[place].add(entry) }
      trim(codes[place], at: place, from: 2 * limit)
    }
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

  /// Removes rows of a code that can no longer be in the sample, once there are more than `size` rows or they are twice
  /// as long as the sample may be.
  private mutating func trim(_ code: Code, at place: Int, from size: Int) {
    if code.entries.count > size || code.bytes > 2 * Self.mostBytes { codes[place].trim(to: limit) }
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
          return bytes <= Self.mostBytes
        }
        .map { (codes[place].name, $0.line) }
    }
  }
}

extension RejectSample {
  /// Writes the sample without rows that cannot be in that of more rejects: of these, no code has a larger share.
  func encode(_ writer: inout ResultWriter) {
    writer.append(limit)
    let most = (shares.map(\.share).max() ?? 0) + 1
    writer.append(codes) { writer, code in
      var code = code
      code.trim(to: most)
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
  }
}
