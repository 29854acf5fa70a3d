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
    package let outcome: AttributionOutcome
    /// The number of requests so far.
    package let attempts: Int64
    /// The time of receipt; nil if it is not known.
    fileprivate let receivedAt: Timestamp?
    /// The place among the payloads of the key; nil if the result is no payload.
    fileprivate let place: PayloadPlace?
  }

  /// A payload that does not count, because another one of its key does.
  private struct Superseded: Hashable {
    let key: String
    let place: PayloadPlace
  }

  private let folder: DurableFolder
  private var file: DurableFile
  /// The path of the hidden file with damaged lines that were cut; nil if there are none.
  package let damaged: String?
  private var lines = 0
  /// The number of lines from before the journal was opened.
  private var earlierLines = 0
  /// The results by key.
  package private(set) var standings: [String: Standing] = [:]
  /// The number of malformed records that count.
  package private(set) var malformedCount = 0
  private var superseded: Set<Superseded> = []

  /// The number of results that count and were appended since the journal was opened.
  package var newCount: Int { standings.values.count { $0.line >= earlierLines } }
  /// The number of different payloads since the journal was opened that do not count, because another one of their key does:
  /// those that were to be appended, and earlier ones that were replaced.
  package var supersededCount: Int { superseded.count }

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
    malformedCount = standings.values.count { $0.outcome == .malformed }
    earlierLines = lines
  }

  /// Indicates that a token is not to be sent: it has a final result. One that has expired is to be sent if its record has
  /// another time of receipt now.
  package func hasResult(of token: AttributionToken) -> Bool {
    guard let standing = standings[token.row.key], standing.outcome.isFinal else { return false }
    return standing.outcome != .tokenExpired || standing.receivedAt == token.row.time(.receivedAt)
  }

  /// Appends the rows that say more than the journal does, durably. Returns their number.
  @discardableResult
  package func append(_ rows: [AttributionRow]) throws(FileFailure) -> Int {
    var text: [UInt8] = []
    var count = 0
    for row in rows {
      if standings[row.key]?.outcome == .malformed { malformedCount -= 1 }
      let (counts, loser) = standings.note(row, line: lines)
      if standings[row.key]?.outcome == .malformed { malformedCount += 1 }
      if let loser { superseded.insert(Superseded(key: row.key, place: loser)) }
      guard counts else { continue }
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
    guard malformedCount > 0, keys.contains(where: { standings[$0]?.outcome == .malformed }) else { return }
    _ = try remove { $0.outcome == .malformed && keys.contains($0.key) }
  }

  private func remove(where isRemoved: (AttributionRow) -> Bool) throws(FileFailure) -> Int {
    // Results that a removed one has replaced do not come back.
    var keys: Set<String> = []
    try forEach { if isRemoved($0) { keys.insert($0.key) } }
    let new = try UnfinishedFile(file.path)
    var (text, count, earlierCount): ([UInt8], Int, Int) = ([], 0, 0)
    var left: [String: Standing] = [:]
    try read { line, row throws(FileFailure) in
      guard !isRemoved(row), !keys.contains(row.key) else {
        count += 1
        if line < earlierLines { earlierCount += 1 }
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
    (standings, lines, earlierLines) = (left, lines - count, earlierLines - earlierCount)
    malformedCount = left.values.count { $0.outcome == .malformed }
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
  /// Notes the result in a line. Returns false if that of another line says as much or counts before it; and of two different
  /// payloads of a key the place of the one that does not count.
  @discardableResult
  fileprivate mutating func note(_ row: AttributionRow, line: Int) -> (counts: Bool, loser: PayloadPlace?) {
    let new = AttributionJournal.Standing(
      line: line,
      outcome: row.outcome,
      attempts: row.integer(.attempts) ?? 0,
      receivedAt: row.time(.receivedAt),
      place: PayloadPlace(row)
    )
    guard let old = self[row.key] else {
      self[row.key] = new
      return (true, nil)
    }
    if let place = new.place, let earlier = old.place {
      if place > earlier { self[row.key] = new }
      return (place > earlier, place == earlier ? nil : Swift.min(place, earlier))
    }
    // A request for a token that had expired by a wrong time of receipt says more than that time.
    let isAnswer = new.attempts > old.attempts && old.outcome != .payload
    guard isAnswer || new.outcome.rank > old.outcome.rank else { return (false, nil) }
    self[row.key] = new
    return (true, nil)
  }
}

/// The place of a payload among those of the same key, of which the last one counts, in whichever order they are read: that
/// which was received last; at equal times one with an attribution before one without; and else that with the greater
/// checksum. Payloads with equal content have the same place.
private struct PayloadPlace: Hashable, Comparable {
  /// The time of receipt; the earliest there is if it is not known.
  private let receivedAt: Int64
  private let isAttributed: Bool
  private let checksum: UInt64

  /// The place of a row; nil if it has no payload.
  init?(_ row: AttributionRow) {
    guard row.outcome == .payload else { return nil }
    receivedAt = row.time(.receivedAt)?.milliseconds ?? .min
    isAttributed = row.boolean(.attribution) == true
    var content = row
    for column in Self.origin { content[column] = nil }
    checksum = SipHash(key: 0, 0).hash(of: Array("\(content.json)".utf8).span)
  }

  /// The columns that say where a payload is from.
  private static let origin: [ColumnName] = [.attempts, .httpStatus, .sourceFile, .sourceLine]

  static func < (left: PayloadPlace, right: PayloadPlace) -> Bool {
    if left.receivedAt != right.receivedAt { return left.receivedAt < right.receivedAt }
    if left.isAttributed != right.isAttributed { return right.isAttributed }
    return left.checksum < right.checksum
  }
}
