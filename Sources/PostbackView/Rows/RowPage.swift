internal import JSON
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline

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

/// The page of rows that a question asks for.
struct PageRequest: Sendable {
  /// The number of rows.
  let limit: Int
  /// The place to go on from; nil for the last row.
  let cursor: RowCursorText?
  /// The number of bytes that the rows may have. A page has one row at least.
  let room: Int
  /// The time after which no further part is begun.
  let patience: Duration

  /// Reads the parameters of a page, or of a download, which has one page.
  init(_ parameters: ViewParameters, isDownload: Bool) throws(ViewDefect) {
    let most = isDownload ? 10_000 : 500
    limit = try parameters.integer("limit", in: 1...most) ?? (isDownload ? most : 50)
    cursor = parameters["cursor"].flatMap(RowCursorText.init)
    if cursor == nil, parameters["cursor"] != nil { throw ViewDefect("cursor: The value must be that of next.") }
    (room, patience) = isDownload ? (16 << 20, .seconds(30)) : (4 << 20, .milliseconds(600))
  }
}

/// A page of rows, the newest first, as far as a search had time.
struct RowPage<Row: Sendable>: Sendable {
  var rows: [Row] = []
  /// The place from which the next page goes on; nil at the end.
  var next: RowCursorText?
  /// The share of the rows that were searched, those of earlier pages too.
  var searchedShare = 1.0

  /// Searches parts from the last one on.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - request: The number of rows, and the place to go on from.
  ///   - isWanted: Tells if a part may have such rows.
  ///   - find: Returns the places of the rows of a part before a place, in ascending order.
  ///   - read: Returns the rows at the last of some places of a part, as many as have room, in the same order, and their bytes.
  /// - Throws: What `find` and `read` throw.
  init(
    of parts: [LookupPart],
    _ request: PageRequest,
    isWanted: (LookupPart) -> Bool,
    find: (LookupPart, _ end: Int64) async throws(PipelineFailure) -> [Int64],
    read: (LookupPart, [Int64], _ room: Int) async throws(PipelineFailure) -> (rows: [Row], bytes: Int)
  ) async throws(PipelineFailure) {
    let deadline = ContinuousClock.now + request.patience
    let (cursor, limit) = (request.cursor, request.limit)
    var room = request.room
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
      let found = try await read(part, Array(wanted), room)
      rows += found.rows.reversed()
      room -= found.bytes
      if rows.count >= limit || !found.rows.isEmpty && found.rows.count < wanted.count {
        let first = wanted.suffix(found.rows.count).first ?? end
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
  /// Reads the rows at the last of some places, in ascending order, as many as have room, and one at least.
  func rows(at places: [Int64], room: Int) async throws(PipelineFailure) -> (rows: [FoundRow], bytes: Int) {
    var found: [(row: FoundRow, bytes: Int)] = []
    var bytes = 0
    func add(_ row: FoundRow) {
      found.append((row, row.byteCount))
      bytes += row.byteCount
    }
    guard compressed == nil else {
      // Each reading begins at the start of the file, so there is one for all.
      var rest = places[...]
      guard let first = rest.first else { return ([], 0) }
      var start = 0
      try await forEachRow(from: first) { row, place in
        if place == rest.first {
          add(FoundRow(row, of: self, at: place))
          rest.removeFirst()
        }
        while bytes > room, start < found.count - 1 {
          bytes -= found[start].bytes
          start += 1
        }
        // Rows that have no room any more are dropped from time to time.
        if start > 1000 {
          found.removeFirst(start)
          start = 0
        }
        return !rest.isEmpty
      }
      return (found[start...].map(\.row), bytes)
    }
    for place in places.reversed() where bytes < room || found.isEmpty {
      try await forEachRow(from: place, byteCount: 1 << 14) { row, at in
        if at == place { add(FoundRow(row, of: self, at: place)) }
        return false
      }
    }
    return (found.reversed().map(\.row), bytes)
  }
}

extension FoundRow {
  /// The number of bytes of its texts, about.
  fileprivate var byteCount: Int {
    (cells.members ?? []).reduce(0) { sum, member in
      switch member.value {
      case .string(let text), .number(let text): sum + text.utf8.count
      case .null, .bool: sum
      case .array, .object: sum + member.value.description.utf8.count
      }
    }
  }
}
