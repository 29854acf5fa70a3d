package import DurableFiles
internal import PostbackVerification

/// The log of the content of inputs whose rows the ledger no longer has: the file `put-away.log`.
///
/// The ledger keeps rows of the newest files of a spool only. Of older ones, which were put away long ago, this log keeps
/// digests, so that a file is recognised if the same content comes again under any name. It has the form of `seen.log`,
/// with digests as keys: that of all records of an input, and that of its first record, which tells cheaply that an input
/// must be read to its end to compare it.
package final class ArchivedInputs {
  /// The name of the file.
  package static let name = "put-away.log"

  private let ledger: Ledger
  private let file: SeenFile
  private var index = RecentIndex()

  /// The number of rows that are dropped in one transaction, so that it does not make the write-ahead log long.
  private static let rowsAtOnce = 1000

  /// Opens the log, or creates it if nothing is committed, and cuts off entries that were not committed.
  package init(_ ledger: Ledger) throws(FileFailure) {
    self.ledger = ledger
    file = try SeenFile(opening: Self.name, in: ledger.folder.folder, at: ledger.state.putAway.end)
    var digests: [RecentIndex.Seen] = []
    try Self.read(file, ledger.state.putAway) { words in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        digests.append(SeenEntry(words, at: start).seen)
      }
    }
    index.restore(digests)
    file.release(before: ledger.state.putAway.forgotten)
    try file.truncate(to: ledger.state.putAway.end)
  }

  /// Throws `.damaged` unless the log in a folder is as it was committed.
  package static func verify(_ extent: PutAwayExtent, in folder: DurableFolder) throws(FileFailure) {
    // States of early versions have no such log until they are opened.
    if extent.end.entries == 0, try folder.byteCount(of: name) == nil { return }
    try read(try SeenFile(name, in: folder, .reading), extent) { _ in }
  }

  private static func read(
    _ file: SeenFile,
    _ extent: PutAwayExtent,
    _ body: (Span<UInt64>) -> Void
  ) throws(FileFailure) {
    guard try file.read(from: extent.forgotten, to: extent.end.entries, { body($0) }) == extent.end else {
      throw file.damaged(extent.end)
    }
  }

  /// Forgets the content of inputs whose rows were dropped before a time, in seconds since 1970. It stays known until the
  /// next start.
  package func forget(before seconds: UInt32, limit: Int64 = 1 << 17) throws(FileFailure) {
    let extent = ledger.state.putAway
    let old = try ForgottenEntries(
      file,
      from: extent.forgotten,
      to: extent.end.entries,
      before: seconds,
      now: .max,
      limit: limit
    )
    guard old.end.entries > extent.forgotten.entries else { return }
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.putAway = extent
    commit.putAway?.forgotten = old.end
    try ledger.commit(commit)
    file.release(before: old.end)
  }

  /// Throws `.damaged` if the file was removed or replaced.
  package func verifyName() throws(FileFailure) { try file.file.verifyName() }

  /// True if the log has no entries.
  package var isEmpty: Bool { index.count == 0 }

  /// Returns true if an input had this digest, of its first record or of all its records.
  package func contains(_ digest: UInt128) -> Bool { index.entry(for: Self.key(digest)) != nil }

  /// Drops the rows of the complete inputs whose paths begin with `prefix`, except the newest `kept` inputs.
  ///
  /// The digests are durable before the rows are dropped. It makes no difference if an input was put away: if it comes
  /// again, its content is known.
  package func dropRows(withPrefix prefix: String, keeping kept: Int) throws(FileFailure) {
    while true {
      let inputs = try ledger.completeInputs(
        withPrefix: prefix,
        before: ledger.state.nextInput - Int64(kept),
        Self.rowsAtOnce
      )
      guard !inputs.isEmpty else { return }
      var commit = LedgerCommit(time: ledger.committedAt)
      commit.dropped = inputs.map(\.id)
      commit.putAway = ledger.state.putAway
      commit.putAway?.inputs += Int64(inputs.count)
      commit.putAway?.end = try file.append(entries(for: inputs), after: ledger.state.putAway.end)
      try file.synchronize()
      try ledger.commit(commit)
      if inputs.count < Self.rowsAtOnce { return }
    }
  }

  /// Returns the entries that the log lacks for these inputs, and adds them to the index.
  private func entries(for inputs: [LedgerInput]) -> [SeenEntry] {
    var entries: [SeenEntry] = []
    for input in inputs where input.records > 0 {
      // Ledgers of early versions do not know the first record.
      let first = input.firstDigest == 0 ? input.digest : input.firstDigest
      for digest in [first, input.digest] where !contains(digest) {
        let seen = RecentIndex.Seen(key: Self.key(digest), content: .init(digest: 0, unsigned: 0), number: nil)
        index.restore([seen])
        let seconds = UInt32(clamping: ledger.committedAt / 1000)
        entries.append(SeenEntry(seen, inputID: input.id, seenAt: seconds, line: UInt64(input.records)))
      }
    }
    return entries
  }

  /// Returns the key of a digest, which has 127 bits: keys must be spread over all of 128.
  private static func key(_ digest: UInt128) -> PostbackKey {
    PostbackKey(digest << 1)
  }
}
