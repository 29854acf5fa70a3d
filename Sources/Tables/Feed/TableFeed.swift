package import DurableFiles
internal import Ledger

/// The committed rows of a table after a cursor, in batches: each row once and in order, also while another process
/// writes the table.
///
/// Only committed rows are read, and all of them: those of complete parts, and those of the parts that are still written
/// and hidden. The state is read without its lock. Parts that were read to their end may be moved away.
package struct TableFeed: AsyncSequence, Sendable {
  /// A batch with the position behind it.
  package struct Element: Sendable {
    /// The rows, at least one.
    package let rows: RowBatch
    /// The position behind the rows.
    package let cursor: TableCursor
  }

  package typealias Failure = FileFailure

  /// The size of a batch in bytes; only a longer row makes a larger batch.
  package var batchBytes = 1 << 20
  /// The time between two looks for a new commit while following.
  package var interval = Duration.milliseconds(200)

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

  package func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The position in the feed, with the parts that were committed at the last look.
  package struct Iterator: AsyncIteratorProtocol {
    private let feed: TableFeed
    private var cursor: TableCursor?
    private var committed: CommittedParts?
    private var reader: PartReader?
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

    /// Returns the next of the rows that were committed at the last look.
    private mutating func nextCommitted() throws(FileFailure) -> Element? {
      guard let committed, var cursor else { return nil }
      defer { self.cursor = cursor }
      for part in committed.parts where part.number >= cursor.part {
        if part.number > cursor.part { cursor = committed.start(of: part) }
        while cursor.offset < part.length {
          if reader?.number != part.number {
            reader = try PartReader(part, of: feed.table, in: feed.output, from: cursor.offset)
          }
          let batch = try reader?.batch(from: cursor.offset, to: part.length, byteCount: feed.batchBytes)
          guard let (rows, end) = batch else { return nil }
          cursor = cursor.moved(to: end)
          if !rows.rows.isEmpty { return Element(rows: rows, cursor: cursor) }
        }
      }
      return nil
    }

    /// Reads from the ledger the parts that are not read yet.
    private mutating func look() throws(FileFailure) {
      let committed = try Ledger.committedParts(feed.state, of: feed.table.name, from: cursor?.part ?? 1)
      if let id = committed.outputID, self.committed == nil {
        let found = try OutputID.read(in: feed.output)
        guard found == id else { throw .otherOutput(feed.output, of: feed.state) }
      }
      let cursor = cursor ?? TableCursor(table: feed.table.name, generation: committed.generation, part: 1, offset: 0)
      try committed.check(cursor, of: feed.table, feed.output)
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

extension TableCursor {
  fileprivate func moved(to offset: Int64) -> TableCursor {
    TableCursor(table: table, generation: generation, part: part, offset: offset)
  }
}

extension CommittedParts {
  fileprivate func start(of part: LedgerPart) -> TableCursor {
    TableCursor(table: part.table, generation: generation, part: part.number, offset: 0)
  }

  /// Throws if a cursor is not a position in these parts.
  fileprivate func check(_ cursor: TableCursor, of table: Table, _ output: String) throws(FileFailure) {
    func wrong(_ reason: String) -> FileFailure {
      FileFailure(
        .incompatible,
        "\(output)/\(table.name)",
        "the cursor \(cursor) \(reason); read the table anew without a cursor"
      )
    }
    guard cursor.table == table.name else { throw wrong("belongs to another table") }
    guard cursor.generation == generation else {
      throw wrong("is of before the parts of the table were rewritten or removed")
    }
    guard cursor.offset > 0 else { return }
    guard let part = parts.first(where: { $0.number == cursor.part }), part.length >= cursor.offset else {
      throw wrong("is behind the last committed row, as if the output was restored from an older backup")
    }
  }
}

extension FileFailure {
  static func otherOutput(_ output: String, of state: String) -> FileFailure {
    FileFailure(.incompatible, output, "the state in \(state) belongs to another output; give the state of this output")
  }
}
