internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// The removal of old parts in one commit, but for the rows that others still need.
struct PartRemoval {
  /// The number of old parts so far.
  private(set) var parts = 0
  /// The number of bytes of old parts so far.
  var bytes: Int64 = 0
  /// The number of old rows that stay.
  private(set) var keptRows: Int64 = 0
  /// The failure to write a part anew on a disk without room, so that it stays as it is; nil if there was room.
  private(set) var withoutRoom: FileFailure?

  private let time: Int64
  private let output: String
  private let isCSVSafe: Bool
  private let decided: DecidingTimes
  /// The numbers of the parts of `skan_rejects` that have copies alone.
  private let reduced: Set<Int>
  /// The parts of `skan_postbacks` that are removed, each with the part of the rows that stay, if there are some, by format.
  private var postbacks: [Int: [TableFormat: LedgerPart]] = [:]

  /// Begins a removal of rows from before a time.
  init(
    before time: Int64,
    in output: String,
    isCSVSafe: Bool,
    reduced: Set<Int>,
    _ decided: @escaping DecidingTimes
  ) {
    (self.time, self.output, self.isCSVSafe, self.reduced, self.decided) = (time, output, isCSVSafe, reduced, decided)
  }

  /// Tells if a part has nothing but copies, which stay because there are postbacks that are as old.
  func staysReduced(_ formats: [LedgerPart], _ parts: [LedgerPart]) -> Bool {
    guard let first = formats.first, first.table == Table.rejects.name, reduced.contains(first.number) else {
      return false
    }
    let newest = formats.compactMap { $0.received?.newest }.max() ?? .min
    return remaining(parts).contains { $0.rows > 0 && $0.received.map { $0.oldest <= newest } ?? true }
  }

  /// Removes old parts of a table, each in all its formats, and adds that to a commit. Returns them with what was removed of each.
  mutating func remove(
    _ old: [[LedgerPart]],
    of table: String,
    _ parts: [LedgerPart],
    _ commit: inout LedgerCommit
  ) throws(FileFailure) -> [LedgerPart] {
    var removal = TableRemoval(table: table, reason: .retention)
    var copied: Set<PostbackKey> = []
    if table == Table.rejects.name { copied = try present(try copies(in: old), parts) }
    for formats in old {
      switch table {
      case Table.postbacks.name: try removePostbacks(formats, &removal, &commit)
      case Table.rejects.name where !copied.isEmpty:
        commit.parts += try reduce(formats, of: .rejects, &removal, copied.contains) ?? []
      default: for part in formats { try removeAll(of: part, &removal) }
      }
    }
    self.parts += old.count
    if !removal.parts.isEmpty { commit.removals.append(removal) }
    return removal.parts.filter { $0.part.rows > 0 || $0.keptLength == nil }.map { removed in
      var part = removed.part
      part.length -= removed.keptLength ?? 0
      return part
    }
  }

  private func removeAll(of part: LedgerPart, _ removal: inout TableRemoval) throws(FileFailure) {
    var column = KeyColumn(part.format)
    try PartFile.verify(try DurableFile("\(output)/\(part.folder)/\(part.name)", .reading), part) {
      bytes throws(FileFailure) in
      if part.table == Table.postbacks.name { column.take(bytes) }
    }
    removal.parts.append(TableRemoval.Part(part, keys: column.keys))
  }

  /// Removes the postbacks of a part but for those for which a copy decides that is not old.
  private mutating func removePostbacks(
    _ formats: [LedgerPart],
    _ removal: inout TableRemoval,
    _ commit: inout LedgerCommit
  ) throws(FileFailure) {
    guard let number = formats.first?.number else { return }
    let times = try decided(number)
    let late = times.filter { $0.value >= time }
    let newest = times.values.filter { $0 < time }.max() ?? .min
    var formats = formats
    for index in formats.indices {
      // The removed rows are counted on days up to this one.
      if let received = formats[index].received, received.newest < newest { formats[index].received?.newest = newest }
    }
    guard !late.isEmpty else {
      for part in formats { try removeAll(of: part, &removal) }
      postbacks[number] = [:]
      return
    }
    guard var kept = try reduce(formats, of: .postbacks, &removal, { late[$0] != nil }) else { return }
    // What stays is old when the last copy that decides is.
    if let last = late.values.max() { for index in kept.indices { kept[index].received?.newest = last } }
    commit.parts += kept
    postbacks[number] = Dictionary(kept.map { ($0.format, $0) }) { first, _ in first }
  }

  /// Removes rows of a part; those that stay are written anew. Returns the part with these, in all its formats, or nothing if none
  /// stay; nil if there is no room for them, so that the part stays as it is.
  private mutating func reduce(
    _ formats: [LedgerPart],
    of table: Table,
    _ removal: inout TableRemoval,
    _ isKept: (PostbackKey) -> Bool
  ) throws(FileFailure) -> [LedgerPart]? {
    var (removed, kept): ([TableRemoval.Part], [LedgerPart]) = ([], [])
    var (lines, rows): ([TableRemoval.Lines], Int) = ([], 0)
    do throws(FileFailure) {
      for part in formats {
        let reduction = try PartReduction(part, of: table, in: output, isCSVSafe: isCSVSafe, keeping: isKept)
        rows = reduction.keptRows
        guard rows > 0 else {
          try removeAll(of: part, &removal)
          continue
        }
        // A part of copies alone stays as it is if all of them do.
        if reduction.changes.isEmpty, table.name == Table.rejects.name, reduced.contains(part.number) { continue }
        var rest = part
        if !reduction.changes.isEmpty { try rest.rewrite(reduction.changes, in: output) }
        kept.append(rest)
        var old = part
        old.rows = reduction.removedRows
        removed.append(TableRemoval.Part(old, keys: reduction.keys, keptLength: rest.length))
        lines += reduction.lines
      }
    } catch {
      guard error.kind == .diskFull else { throw error }
      for part in formats { try DurableFolder("\(output)/\(part.folder)").remove(part.rewrittenName) }
      withoutRoom = error
      return nil
    }
    if !kept.isEmpty { keptRows += Int64(rows) }
    removal.parts += removed
    removal.rejectedLines += lines
    return kept
  }

  // MARK: - Keys

  /// The keys of the postbacks whose copies are in parts of `skan_rejects`.
  private func copies(in old: [[LedgerPart]]) throws(FileFailure) -> Set<PostbackKey> {
    let column = Table.rejects.place(.firstSeenPostbackKey)
    var keys: Set<PostbackKey> = []
    for part in old.compactMap(readable) {
      try forEachBatch(of: part, .rejects) { batch in
        var cursor = RowCursor(batch, of: .rejects, only: [column])
        while cursor.next() { if let key = cursor.key(column) { keys.insert(key) } }
      }
    }
    return keys
  }

  /// Returns those of some keys whose postbacks stay.
  private func present(_ keys: Set<PostbackKey>, _ parts: [LedgerPart]) throws(FileFailure) -> Set<PostbackKey> {
    var present: Set<PostbackKey> = []
    guard !keys.isEmpty else { return present }
    let column = Table.postbacks.place(.postbackKey)
    for formats in Dictionary(grouping: remaining(parts), by: \.number).values where present.count < keys.count {
      guard let part = readable(formats) else { continue }
      try forEachBatch(of: part, .postbacks) { batch in
        var cursor = RowCursor(batch, of: .postbacks, only: [column])
        while cursor.next() { if let key = cursor.key(column), keys.contains(key) { present.insert(key) } }
      }
    }
    return present
  }

  /// The parts of `skan_postbacks` after this removal.
  private func remaining(_ parts: [LedgerPart]) -> [LedgerPart] {
    parts.filter { $0.table == Table.postbacks.name }.compactMap { part in
      postbacks[part.number].map { $0[part.format] } ?? part
    }
  }

  /// The format of a part that is read fastest.
  private func readable(_ formats: [LedgerPart]) -> LedgerPart? {
    formats.first { $0.format == .jsonLines } ?? formats.first
  }

  private func forEachBatch(of part: LedgerPart, _ table: Table, _ body: (RowBatch) -> Void) throws(FileFailure) {
    var reader = try PartReader(part, of: table, in: output, from: 0, isCSVSafe: isCSVSafe)
    while let batch = try reader.next(upTo: part.length) { body(batch.rows) }
  }
}
