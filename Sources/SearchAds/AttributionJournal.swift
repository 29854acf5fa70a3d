internal import Base
package import DurableFiles
internal import JSON
internal import Tables

/// The results of all imports and exchanges of an output, as JSON Lines that are only appended. The table is made of it, so
/// that an exchange goes on after a crash with the tokens that have no result yet.
package final class AttributionJournal {
  /// The result of a key that counts.
  package struct Standing: Sendable {
    /// The number of the line, from 0.
    let line: Int
    /// The result.
    package let outcome: AttributionOutcome
    /// The number of requests so far.
    package let attempts: Int64
  }

  private let folder: DurableFolder
  private var file: DurableFile
  /// The path of the hidden file with damaged lines that were cut; nil if there are none.
  package let damaged: String?
  private var lines = 0
  /// The results by key.
  package private(set) var standings: [String: Standing] = [:]

  /// The folder and the file in an output.
  private static let folderName = "_asa"
  private static let fileName = "journal.jsonl"
  /// The number of bytes after which rows are made durable.
  private static let groupBytes = 4 << 20

  /// Opens the journal of an output, or makes it. Lines at its end that a crash has damaged are cut. The caller holds the lock of the
  /// table.
  package init(in output: String) throws(FileFailure) {
    _ = try DurableFolder(making: output)
    folder = try DurableFolder(making: "\(output)/\(Self.folderName)")
    let isThere = try folder.byteCount(of: Self.fileName) != nil
    file = try DurableFile("\(folder.path)/\(Self.fileName)", isThere ? .appending : .creating)
    if !isThere { try folder.synchronize() }
    damaged = try file.cutDamagedLines(inLast: Int64(2 * Self.groupBytes)) { line in
      if case .object? = try? JSONValue(parsing: Array(line)) { true } else { false }
    }
    var standings: [String: Standing] = [:]
    try read { line, row in standings.note(row, line: line) }
    self.standings = standings
  }

  /// Appends the rows that say more than the journal does, durably. Returns their number.
  package func append(_ rows: [AttributionRow]) throws(FileFailure) -> Int {
    var text: [UInt8] = []
    var count = 0
    for row in rows {
      guard standings.note(row, line: lines) else { continue }
      text += Array("\(row.json)\n".utf8)
      lines += 1
      count += 1
      if text.count >= Self.groupBytes { try write(&text) }
    }
    if !text.isEmpty { try write(&text) }
    return count
  }

  private func write(_ text: inout [UInt8]) throws(FileFailure) {
    try file.append(text.span)
    try file.synchronize()
    text = []
  }

  /// Calls `body` with each row that counts, in order.
  package func forEach(_ body: (AttributionRow) throws(FileFailure) -> Void) throws(FileFailure) {
    try read { line, row throws(FileFailure) in
      if standings[row.key]?.line == line { try body(row) }
    }
  }

  /// Removes the lines of an output's journal that a selection covers, durably and in one step. Returns their number. The caller
  /// holds the lock of the table.
  package static func remove(_ selection: AttributionSelection, from output: String) throws(FileFailure) -> Int {
    guard try exists(in: output) else { return 0 }
    return try AttributionJournal(in: output).remove { selection.covers($0) }
  }

  /// Removes the malformed records with some keys, which another reading of their file has no more.
  package func removeMalformed(_ keys: Set<String>) throws(FileFailure) {
    guard standings.contains(where: { $0.value.outcome == .malformed && keys.contains($0.key) }) else { return }
    _ = try remove { $0.outcome == .malformed && keys.contains($0.key) }
  }

  private func remove(where isRemoved: (AttributionRow) -> Bool) throws(FileFailure) -> Int {
    let new = try UnfinishedFile(file.path)
    var (text, count): ([UInt8], Int) = ([], 0)
    var left: [String: Standing] = [:]
    try read { line, row throws(FileFailure) in
      guard !isRemoved(row) else {
        count += 1
        return
      }
      left.note(row, line: line - count)
      text += Array("\(row.json)\n".utf8)
      if text.count >= Self.groupBytes {
        try new.write(text)
        text = []
      }
    }
    guard count > 0 else { return 0 }
    try new.write(text)
    try new.synchronize()
    try new.publish()
    try folder.synchronize()
    file = try DurableFile(file.path, .appending)
    (standings, lines) = (left, lines - count)
    return count
  }

  /// Indicates that an output has a journal.
  package static func exists(in output: String) throws(FileFailure) -> Bool {
    try DurableFolder("\(output)/\(folderName)").byteCount(of: fileName) != nil
  }

  /// The paths of hidden files beside the journal that keep damaged lines.
  package static func damagedFiles(in output: String) throws(FileFailure) -> [String] {
    let folder = DurableFolder("\(output)/\(folderName)")
    return try folder.names().filter { $0.hasPrefix(".damaged-") }.map { "\(folder.path)/\($0)" }
  }

  /// Reads all lines.
  private func read(_ body: (Int, AttributionRow) throws(FileFailure) -> Void) throws(FileFailure) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var rest: [UInt8] = []
    var offset: Int64 = 0
    lines = 0
    while case let count = try file.read(into: &buffer, at: offset), count > 0 {
      offset += Int64(count)
      rest += buffer[..<count]
      var start = 0
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        guard let json = try? JSONValue(parsing: Array(rest[start..<end])), let row = AttributionRow(json) else {
          throw .damaged(file.path, "Line \(lines + 1) is no row")
        }
        try body(lines, row)
        lines += 1
        start = end + 1
      }
      rest.removeFirst(start)
    }
  }
}

extension [String: AttributionJournal.Standing] {
  /// Notes the result in a line; returns false if an earlier one says as much.
  @discardableResult
  fileprivate mutating func note(_ row: AttributionRow, line: Int) -> Bool {
    let new = AttributionJournal.Standing(line: line, outcome: row.outcome, attempts: row.integer(.attempts) ?? 0)
    if let old = self[row.key] {
      let says = new.outcome.rank > old.outcome.rank || !old.outcome.isFinal && new.attempts > old.attempts
      guard says, new.outcome.rank >= old.outcome.rank else { return false }
    }
    self[row.key] = new
    return true
  }
}
