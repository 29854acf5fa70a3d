internal import Base
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import Tables

/// The place from which a page of rows goes on: the rows of a part before a place, and those of the parts before it.
struct RowCursorText: Sendable {
  let part: Int
  let place: Int64

  init(part: Int, place: Int64) { (self.part, self.place) = (part, place) }

  /// Reads the text of an address; nil if it has another form.
  init?(_ text: String) {
    let words = text.split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 2, let part = Int(words[0]), let place = Int64(words[1]), part >= 0, place >= 0 else {
      return nil
    }
    (self.part, self.place) = (part, place)
  }

  var text: String { "\(part)-\(place)" }
}

/// A page of rows, the newest first, as far as a search had time.
struct RowPage<Row: Sendable>: Sendable {
  var rows: [Row] = []
  /// The place from which the next page goes on; nil at the end.
  var next: RowCursorText?
  /// The share of the rows that were searched, those of earlier pages too.
  var searchedShare = 1.0

  /// The time after which a search hands on what it has.
  static var patience: Duration { .milliseconds(600) }

  /// Searches parts from the last one on.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - cursor: The place to go on from; nil for the last row.
  ///   - limit: The number of rows.
  ///   - patience: The time after which no further part is begun.
  ///   - isWanted: Tells if a part may have such rows.
  ///   - find: Returns the places of the rows of a part before a place, in ascending order.
  ///   - read: Returns the rows at some places of a part, in the same order.
  /// - Throws: What `find` and `read` throw.
  init(
    of parts: [LookupPart],
    after cursor: RowCursorText?,
    limit: Int,
    patience: Duration = Self.patience,
    isWanted: (LookupPart) -> Bool,
    find: (LookupPart, _ end: Int64) async throws(PipelineFailure) -> [Int64],
    read: (LookupPart, [Int64]) async throws(PipelineFailure) -> [Row]
  ) async throws(PipelineFailure) {
    let deadline = ContinuousClock.now + patience
    let ordered = parts.sorted { $0.part.number > $1.part.number }
    let total = ordered.reduce(Int64(0)) { $0 + $1.part.length }
    var searched = ordered.filter { part in cursor.map { part.part.number > $0.part } ?? false }
      .reduce(Int64(0)) { $0 + $1.part.length }
    for part in ordered {
      if let cursor, part.part.number > cursor.part { continue }
      var end = part.end
      if let cursor, part.part.number == cursor.part { end = min(end, cursor.place) }
      if !isWanted(part) || end <= 0 {
        searched += part.part.length
        continue
      }
      guard ContinuousClock.now < deadline || rows.isEmpty && searched == 0, !Task.isCancelled else {
        next = RowCursorText(part: part.part.number, place: end)
        break
      }
      let places = try await find(part, end)
      let wanted = places.suffix(limit - rows.count)
      rows += try await read(part, Array(wanted)).reversed()
      if rows.count >= limit {
        let first = wanted.first ?? 0
        next = RowCursorText(part: part.part.number, place: first)
        searched += part.end == 0 ? 0 : Int64(Double(part.part.length) * (1 - Double(first) / Double(part.end)))
        break
      }
      searched += part.part.length
    }
    searchedShare = next == nil || total == 0 ? 1 : min(Double(searched) / Double(total), 1)
  }
}

extension LookupPart {
  /// Reads the rows at some places, in ascending order.
  func rows(at places: [Int64]) async throws(PipelineFailure) -> [FoundRow] {
    var found: [FoundRow] = []
    guard compressed == nil else {
      // Each reading begins at the start of the file, so there is one for all.
      var rest = places[...]
      guard let first = rest.first else { return [] }
      try await forEachRow(from: first) { row, place in
        if place == rest.first {
          found.append(FoundRow(row, of: self, at: place))
          rest.removeFirst()
        }
        return !rest.isEmpty
      }
      return found
    }
    for place in places {
      try await forEachRow(from: place, byteCount: 1 << 14) { row, at in
        if at == place { found.append(FoundRow(row, of: self, at: place)) }
        return false
      }
    }
    return found
  }
}
