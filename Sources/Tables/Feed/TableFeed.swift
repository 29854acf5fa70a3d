package import DurableFiles
package import Ledger
internal import Synchronization

/// The committed rows of a table after a cursor, in batches: each row once and in order, also while another process
/// writes the table.
///
/// Only committed rows are read, and all of them: those of complete parts, and those of the parts that are still written
/// and hidden. The state is read without its lock. Parts that were read to their end may be moved away.
package struct TableFeed: AsyncSequence, Sendable {
  /// A batch with the position behind it.
  package struct Element: Sendable {
    /// The rows, at least one unless there are removals.
    package let rows: RowBatch
    /// The position behind the rows.
    package let cursor: TableCursor
    /// The removals of rows since the position before, in order. A follower that has such rows removes them too.
    package let removals: [TableRemoval]
    /// The rows that were removed because of their age and never read.
    package let missed: UnreadRows
    /// The rows before the position before in which text was masked since, if the feed reads them.
    package let masked: [MaskedRow]
  }

  package typealias Failure = FileFailure

  /// The size of a batch in bytes; only a longer row makes a larger batch.
  package var batchBytes = 1 << 20
  /// The time between two looks for a new commit while following.
  package var interval = Duration.milliseconds(200)
  /// The advice where the cursor is no position in the output, as a sentence without its full stop.
  package var advice = "Read the table anew without a cursor"

  /// Indicates that rows are read again in which text of a person was masked after they had been read.
  package var readsMaskedRows = false

  /// The parts whose committed bytes have their checksum. Every other part is checked when it is opened; nil checks none.
  package var checkedParts: CheckedParts?

  private let table: Table
  private let output: String
  private let state: String
  private let start: TableCursor?
  private let follows: Bool

  /// Makes a feed of the rows of `table` in the folder `output` with its state. Without a cursor it begins at the first
  /// row.
  ///
  /// It ends after the last row that is committed when its iteration begins. With `follow` it goes on with the rows of
  /// later commits, and ends only if its task is cancelled.
  package init(
    _ table: Table,
    in output: String,
    state: String,
    after cursor: TableCursor? = nil,
    follow: Bool = false
  ) {
    (self.table, self.output, self.state, start, follows) = (table, output, state, cursor, follow)
  }

  fileprivate var tableName: String { table.name }
  fileprivate var path: String { "\(output)/\(table.name)" }

  package func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The position in the feed, with the parts that were committed at the last look.
  package struct Iterator: AsyncIteratorProtocol {
    private let feed: TableFeed
    private var cursor: TableCursor?
    private var committed: CommittedParts?
    private var reader: PartReader?
    /// The removals that the follower is to be told of.
    private var untold: [TableRemoval] = []
    /// The rows that were removed before they were read, of which the follower is to be told.
    private var missed = UnreadRows()
    /// The masked rows that are to be read again.
    private var masked = MaskedPlaces()
    private var isEnded = false

    fileprivate init(_ feed: TableFeed) {
      self.feed = feed
      cursor = feed.start
    }

    /// Returns the next batch; nil after the last one, after a failure, and if the task was cancelled.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FileFailure) -> Element? {
      guard !isEnded else { return nil }
      do throws(FileFailure) {
        if committed == nil { try look() }
        while true {
          if let element = try nextCommitted() { return element }
          guard feed.follows, try await feed.waitForCommit(after: committed?.witnessed) else { break }
          try look()
        }
      } catch {
        isEnded = true
        throw error
      }
      isEnded = true
      return nil
    }

    /// Returns the removals since the cursor, or the next of the rows that were committed at the last look.
    private mutating func nextCommitted() throws(FileFailure) -> Element? {
      while let committed, let cursor {
        if !untold.isEmpty || missed.count > 0 {
          guard let rows = try maskedRows(committed) else { continue }
          defer { (untold, missed, masked) = ([], UnreadRows(), MaskedPlaces()) }
          let nothing = RowBatch(jsonLines: [], [], of: [])
          return Element(rows: nothing, cursor: cursor, removals: untold, missed: missed, masked: rows)
        }
        guard let part = committed.parts.first(where: { (cursor.offset(in: $0.number) ?? .max) < $0.length }) else {
          return nil
        }
        let offset = cursor.offset(in: part.number) ?? 0
        if reader?.number != part.number, try !open(part, at: offset, committed) { continue }
        let batch = try reader?.batch(from: offset, to: part.length, byteCount: feed.batchBytes)
        guard let (rows, _, end) = batch else { return nil }
        let moved = cursor.moved(to: end, in: part.number, of: committed.parts)
        self.cursor = moved
        guard rows.rows.isEmpty else {
          return Element(rows: rows, cursor: moved, removals: [], missed: UnreadRows(), masked: [])
        }
      }
      return nil
    }

    /// Reads the masked rows where they are now. Returns nil, after another look, if rows or parts were removed since the
    /// last look.
    private mutating func maskedRows(_ committed: CommittedParts) throws(FileFailure) -> [MaskedRow]? {
      guard let first = masked.firstPart else { return masked.removed }
      let earlier = try Ledger.committedParts(feed.state, of: feed.table.name, from: first)
      guard earlier.generation == committed.generation else {
        try look()
        return nil
      }
      var found = masked.removed
      for part in earlier.parts {
        for (offset, rows) in masked.rows(of: part.number) {
          if reader?.number != part.number, try !open(part, at: offset, committed) { return nil }
          let batch = try reader?.batch(from: offset, to: part.length, byteCount: 1 << 12).rows
          found.append(MaskedRow(earlier: rows, now: batch?.first))
        }
      }
      reader = nil
      return found
    }

    /// Opens the file of a part. Returns false, after another look, if rows or parts were removed since the last look:
    /// the file may be another one than was committed then.
    private mutating func open(
      _ part: LedgerPart,
      at offset: Int64,
      _ committed: CommittedParts
    ) throws(FileFailure) -> Bool {
      let opened = Result { () throws(FileFailure) in
        try PartReader(part, of: feed.table, in: feed.output, from: offset, isCSVSafe: committed.isCSVSafe)
      }
      if try Ledger.lastCommit(feed.state) != committed.witnessed {
        let now = try Ledger.committedParts(feed.state, of: feed.table.name, from: .max)
        if now.generation != committed.generation {
          try look()
          return false
        }
      }
      reader = try opened.get()
      if let checked = feed.checkedParts {
        try checked.check(part.number, ofGeneration: committed.generation) { () throws(FileFailure) in
          try reader?.verify(part)
        }
      }
      return true
    }

    /// Reads from the ledger the parts that are not read yet, and the removals since the cursor.
    private mutating func look() throws(FileFailure) {
      let known = cursor.map(\.generation) ?? 0
      let first = cursor?.places.first?.part ?? 1
      let committed = try Ledger.committedParts(
        feed.state,
        of: feed.table.name,
        from: first,
        after: known,
        cursor?.mark
      )
      if let id = committed.outputID, self.committed == nil {
        let found = try OutputID.read(in: feed.output)
        guard found == id else { throw .otherOutput(feed.output, of: feed.state) }
      }
      if !committed.removals.isEmpty { reader = nil }
      // A follower without a position has no rows to remove.
      if cursor != nil { untold += committed.removals }
      var cursor = cursor ?? TableCursor(table: feed.table.name, generation: 0, part: 1, offset: 0)
      for removal in committed.removals {
        missed += UnreadRows(removal, after: cursor, committed.format)
        if feed.readsMaskedRows { masked.add(removal, before: cursor, committed.format) }
        cursor = cursor.after(removal, committed.format)
      }
      try committed.check(cursor, of: feed)
      cursor.mark = committed.mark
      self.cursor = cursor
      self.committed = committed
    }
  }

  /// Waits until there is another last commit than `known`; returns false if the task was cancelled.
  private func waitForCommit(after known: Int64?) async throws(FileFailure) -> Bool {
    while !Task.isCancelled {
      do { try await Task.sleep(for: interval) } catch { return false }
      if try Ledger.lastCommit(state) != known { return true }
    }
    return false
  }
}

/// The parts of a table of which the feeds of one follower have compared the committed bytes with their checksum. Rows that are
/// appended later are not compared.
package final class CheckedParts: Sendable {
  private let parts = Mutex<Set<[Int]>>([])

  /// Makes an empty set.
  package init() {}

  /// Checks a part by `body`, unless it was checked since rows were last removed from the table.
  fileprivate func check(
    _ number: Int,
    ofGeneration generation: Int,
    _ body: () throws(FileFailure) -> Void
  ) throws(FileFailure) {
    guard !parts.withLock({ $0.contains([number, generation]) }) else { return }
    try body()
    parts.withLock { _ = $0.insert([number, generation]) }
  }
}

extension CommittedParts {
  /// Throws if a cursor is not a position in these parts.
  fileprivate func check(_ cursor: TableCursor, of feed: TableFeed) throws(FileFailure) {
    func wrong(_ reason: String) -> FileFailure {
      FileFailure(.incompatible, feed.path, "The position \(cursor) \(reason)", advice: feed.advice)
    }
    guard cursor.table == feed.tableName else { throw wrong("belongs to another table") }
    guard hasKnownCommit else {
      throw wrong("is behind rows that this output does not have, as if it was restored from an older backup")
    }
    guard cursor.generation <= generation else {
      throw wrong("is of after the last removal of rows, as if the output was restored from an older backup")
    }
    for place in cursor.places where place.offset > 0 {
      guard let part = parts.first(where: { $0.number == place.part }), part.length >= place.offset else {
        throw wrong("is behind the last committed row, as if the output was restored from an older backup")
      }
    }
  }
}

extension FileFailure {
  package static func otherOutput(_ output: String, of state: String) -> FileFailure {
    FileFailure(
      .incompatible,
      output,
      "The state in \(state) belongs to another output",
      advice: "Give the state of this output"
    )
  }
}
