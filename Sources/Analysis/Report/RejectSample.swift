/// A sample of rejects, drawn evenly from each code: the rows with the smallest SHA-256 of their raw bytes.
///
/// The sample does not depend on the order of reading or on the number of cores.
package struct RejectSample: Sendable {
  fileprivate struct Entry: Sendable {
    let digest: String
    let line: [UInt8]

    static func precedes(_ one: Entry, _ other: Entry) -> Bool {
      one.digest == other.digest
        ? one.line.lexicographicallyPrecedes(other.line) : one.digest < other.digest
    }
  }

  /// The maximum number of rows, of all codes together.
  package let limit: Int
  private var entries: [String: [Entry]] = [:]

  init(limit: Int) { self.limit = limit }

  /// The maximum number of distinct codes; rows of further codes are left out.
  private static let mostCodes = 64

  mutating func add(_ line: [UInt8], digest: String, code: String) {
    guard entries[code] != nil || entries.count < Self.mostCodes else { return }
    entries[code, default: []].append(Entry(digest: digest, line: line))
    trim(code, to: 4 * limit)
  }

  mutating func merge(_ later: RejectSample) {
    for (code, new) in later.entries.sorted(by: { $0.key < $1.key }) {
      guard entries[code] != nil || entries.count < Self.mostCodes else { continue }
      entries[code, default: []] += new
      trim(code, to: 2 * limit)
    }
  }

  /// Removes rows of a code that can no longer be in the sample, once there are more than `size` rows or they are twice
  /// as long as the sample may be.
  private mutating func trim(_ code: String, to size: Int) {
    guard let found = entries[code], found.count > size || found.byteCount > 2 * Self.mostBytes else { return }
    entries[code] = first(of: found)
  }

  /// The maximum length, in bytes, of all rows of one code in the sample.
  private static let mostBytes = 4 << 20

  private func first(of entries: [Entry]) -> [Entry] {
    var bytes = 0
    return Array(
      entries.sorted(by: Entry.precedes).prefix(limit).prefix { entry in
        bytes += entry.line.count
        return bytes <= Self.mostBytes
      }
    )
  }

  /// The rows of the sample, code by code. Every code has an equal share of `limit`; codes with more rows also get the
  /// places that others do not need.
  package var rows: [(code: String, line: [UInt8])] {
    var open = entries.keys.sorted { (entries[$0]?.count ?? 0, $0) < (entries[$1]?.count ?? 0, $1) }
    var left = limit
    var rows: [(String, [UInt8])] = []
    while !open.isEmpty {
      let code = open.removeFirst()
      let share = left / (open.count + 1)
      let chosen = first(of: entries[code] ?? []).prefix(share)
      left -= chosen.count
      rows += chosen.map { (code, $0.line) }
    }
    return rows
  }
}

extension [RejectSample.Entry] {
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.line.count } }
}
