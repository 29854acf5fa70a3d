package import DurableFiles
package import Ledger
package import PostbackVerification
internal import Glibc

/// A function that returns, by key, the times of receipt of the copies that decide for the postbacks of a part of `skan_postbacks` with
/// a number, in milliseconds since 1970. Those of other postbacks are not known.
package typealias DecidingTimes = @Sendable (_ part: Int) throws(FileFailure) -> [PostbackKey: Int64]

/// A function that removes what was made of rows which are gone.
package typealias RemovalOfResults = @Sendable () throws(FileFailure) -> Void

extension Ledger {
  /// Returns the newest time of receipt, in milliseconds since 1970, of the postbacks and the events that were removed because of their
  /// age; nil if there are none. The results of its day, and of all days before, stay as they are. Read without the lock.
  package static func newestRemovedReceipt(_ state: String) throws(FileFailure) -> Int64? {
    var ends: [Int64] = []
    for table in [Table.postbacks, .events] {
      if let end = try newestRemovedReceipt(state, of: table.name) { ends.append(end) }
    }
    return ends.max()
  }
}

/// The removal of parts whose rows were all received before a time, but for the rows that others still need: a postback for which a
/// later copy decides, and a reject that is a copy of a postback which stays.
///
/// The ledger commits first what is removed. Then the files are deleted, and the ledger records that they are gone. A crash
/// in between is completed by `finish`, with which every writer of the tables begins.
package struct TableRetention {
  /// The parts that were removed.
  package private(set) var removed: [LedgerPart] = []
  /// The paths of files that are old, but were moved away or deleted by somebody else.
  package private(set) var missing: [String] = []
  /// The reason why nothing was removed; nil if all was that is old.
  package private(set) var refusal: RemovalRefusal?
  /// The old parts that stay because a follower has not read them, by the name of the follower.
  package private(set) var waiting: [String: Waiting] = [:]
  /// False if there are more old parts, which the next removal is for. One removes a limited number of parts and bytes,
  /// so that a consumer is not kept from its work for long.
  package private(set) var isComplete = true

  /// The old parts that stay because one follower has not read them.
  package struct Waiting: Sendable {
    /// The number of rows.
    package var rows: Int64 = 0
    /// The time for which the part that is longest due is due.
    package fileprivate(set) var delay = Duration.zero

    /// No rows.
    package init() {}
  }

  private let followers: [Follower]

  private static let mostParts = 512
  /// The number of bytes of old parts that one removal of a consumer takes.
  package static let mostBytes: Int64 = 256 << 20

  /// The number of rows that were removed.
  package var removedRows: Int64 { removed.reduce(0) { $0 + $1.rows } }
  /// The number of old rows in the removed parts that stay, because others need them.
  package private(set) var keptRows: Int64 = 0

  /// Removes the complete parts of some tables that have only rows from before a time, in milliseconds since 1970, unless
  /// the clock or the share of the rows speaks against it. Parts that one of `followers` has not read stay. `now` is the
  /// time of the commit. If `removesAll` is true, the share does not matter. `archive` gets copies before parts are removed.
  package init(
    before time: Int64,
    from tables: [String],
    in folder: OutputFolder,
    _ ledger: Ledger,
    waitingFor followers: [Follower],
    now: Int64,
    removesAll: Bool = false,
    archive: PartArchive? = nil,
    mostBytes: Int64 = mostBytes,
    decided: @escaping DecidingTimes
  ) throws(FileFailure) {
    self.followers = followers
    try Self.finish(in: folder.path, ledger)
    try ledger.observeClock(now)
    var commit = LedgerCommit(time: now)
    let parts = try ledger.parts()
    let reduced = try ledger.reducedParts(of: Table.rejects.name)
    // The rejects that stay are copies of the postbacks that stay.
    let tables = tables.sorted { $0 == Table.postbacks.name && $1 != Table.postbacks.name }
    for table in tables where refusal == nil {
      let counted = parts.filter { part in
        !removesAll && part.table == table && !(table == Table.rejects.name && reduced.contains(part.number))
      }
      refusal = try ledger.refusal(.rows(ofTable: table), before: time, now: now) { () throws(FileFailure) in
        try Self.share(of: counted, before: time, in: folder.path)
      }
    }
    guard refusal == nil else { return }
    var removal = PartRemoval(
      before: time,
      in: folder.path,
      isCSVSafe: try ledger.isCSVSafe(),
      reduced: reduced,
      decided
    )
    for table in tables where isComplete {
      var old: [[LedgerPart]] = []
      let numbers = Dictionary(grouping: parts.filter { $0.table == table }, by: \.number)
      for (_, formats) in numbers.sorted(by: { $0.key < $1.key }) {
        guard !removal.staysReduced(formats, parts) else { continue }
        guard let due = try self.old(formats, before: time, in: folder.path, ledger) else { continue }
        for part in due { try archive?.take(part, from: folder.path, ledger) }
        old.append(due)
        removal.bytes += due.reduce(0) { $0 + $1.length }
        isComplete = removal.parts + old.count < Self.mostParts && removal.bytes < mostBytes
        if !isComplete { break }
      }
      removed += try removal.remove(old, of: table, parts, &commit)
    }
    keptRows = removal.keptRows
    if !commit.removals.isEmpty {
      try ledger.commit(commit)
      try Self.finish(in: folder.path, ledger)
    }
    if let failure = removal.withoutRoom {
      // What was removed has made room.
      isComplete = false
      if commit.removals.isEmpty { throw failure }
    }
    guard isComplete else { return }
    for table in tables { try ledger.recordRemoval(.rows(ofTable: table), before: time) }
  }

  /// Returns the share of the rows that are in old parts.
  private static func share(
    of parts: [LedgerPart],
    before time: Int64,
    in output: String
  ) throws(FileFailure) -> RemovalShare {
    var share = RemovalShare(old: 0, of: 0)
    for part in parts {
      share.all += part.rows
      guard part.phase == .complete else { continue }
      var newest = part.received?.newest
      if newest == nil { newest = try FileStatus(entry: "\(output)/\(part.folder)/\(part.name)")?.modified }
      if let newest, newest < time { share.old += part.rows }
    }
    return share
  }

  /// Returns a part in all its formats; nil if it has to stay.
  private mutating func old(
    _ formats: [LedgerPart],
    before time: Int64,
    in output: String,
    _ ledger: Ledger
  ) throws(FileFailure) -> [LedgerPart]? {
    var old: [LedgerPart] = []
    for var part in formats {
      // A part that never had a row stays, as the schema of an empty table.
      guard part.phase == .complete, part.rows > 0 || part.received != nil else { return nil }
      if let received = part.received, received.newest >= time { return nil }
      let path = "\(output)/\(part.folder)/\(part.name)"
      guard try DurableFolder("\(output)/\(part.folder)").byteCount(of: part.name) != nil else {
        missing.append(path)
        return nil
      }
      // Rows of earlier versions were received before their file was written.
      let written = try FileStatus(path: path).modified
      part.received = part.received ?? ReceiptSpan(oldest: max(written, 0), newest: max(written, 0))
      guard part.received.map({ $0.newest < time }) ?? false else { return nil }
      if try isAwaited(part, among: formats, before: time, ledger) { return nil }
      old.append(part)
    }
    return old
  }

  /// Notes the followers that have not read an old part. Returns false if all have.
  private mutating func isAwaited(
    _ part: LedgerPart,
    among formats: [LedgerPart],
    before time: Int64,
    _ ledger: Ledger
  ) throws(FileFailure) -> Bool {
    // Followers read JSON Lines where they are written.
    guard !followers.isEmpty, part.format == .jsonLines || !formats.contains(where: { $0.format == .jsonLines }) else {
      return false
    }
    let generation = try ledger.generation(of: part.table)
    var isAwaited = false
    for follower in followers where try !follower.hasRead(part, generation: generation, ledger) {
      isAwaited = true
      var waiting = self.waiting[follower.name] ?? Waiting()
      waiting.rows += part.rows
      waiting.delay = max(waiting.delay, .milliseconds(time - (part.received?.newest ?? time)))
      self.waiting[follower.name] = waiting
    }
    return isAwaited
  }

  /// Completes removals that are committed: deletes the files of removed parts, and lets rewritten files take the places
  /// of the old ones.
  package static func finish(in output: String, _ ledger: Ledger) throws(FileFailure) {
    let removed = try ledger.pendingRemovals()
    let rewritten = try ledger.parts().filter(\.isRewritten)
    guard !removed.isEmpty || !rewritten.isEmpty else { return }
    if !removed.isEmpty, let mark = try ledger.lastMark() { RemovalMark.write(mark, in: output) }
    for part in removed {
      let folder = DurableFolder("\(output)/\(part.folder)")
      for name in [part.name, part.hiddenName, part.rewrittenName] { try folder.remove(name) }
    }
    for part in rewritten {
      let folder = DurableFolder("\(output)/\(part.folder)")
      guard try folder.byteCount(of: part.rewrittenName) != nil else { continue }
      let isHidden = try folder.byteCount(of: part.hiddenName) != nil
      try folder.rename(part.rewrittenName, to: isHidden ? part.hiddenName : part.name)
    }
    for path in Set(removed.map(\.folder)).sorted() {
      let folder = DurableFolder("\(output)/\(path)")
      guard try folder.byteCount(of: ".") != nil else { continue }
      try folder.synchronize()
    }
    for part in removed where !part.partition.isEmpty {
      // A partition with other parts stays.
      unsafe rmdir("\(output)/\(part.folder)")
    }
    try ledger.finishRemovals()
  }
}
