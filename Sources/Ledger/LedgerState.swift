package import DurableFiles
internal import JSON
internal import PostbackVerification

/// The single-row state of the ledger: commits, the committed end of `seen.log`, and its compactions.
package struct LedgerState: Equatable, Sendable {
  /// The number of commits.
  var commits: Int64 = 0
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  var committedAt: Int64 = 0
  /// The committed end of `seen.log`.
  var seen = SeenMark()
  /// The keys that were forgotten, and are no longer in `seen.log`.
  package var retired = KeyTally()
  /// The compaction that has begun and is not finished; nil if there is none.
  package var compaction: SeenCompaction?
  /// The number for the next new input.
  var nextInput: Int64 = 0
  /// The inputs that were put away, whose rows the ledger no longer has.
  package var putAway = PutAwayExtent()
  /// The position in `seen.log` before which all entries are forgotten.
  package var forgotten = SeenMark()

  /// Returns the state after a commit.
  func after(_ commit: LedgerCommit) -> LedgerState {
    var state = self
    state.commits += 1
    state.committedAt = commit.time
    state.seen = commit.seen ?? seen
    state.nextInput = max(nextInput, commit.inputs.map { Int64($0.id) + 1 }.max() ?? 0)
    state.putAway = commit.putAway ?? putAway
    state.forgotten = commit.forgotten?.end ?? forgotten
    state.retired += commit.forgotten?.keys ?? KeyTally()
    switch commit.compaction {
    case .begin(let compaction): state.compaction = compaction
    case .finish:
      state.seen = compaction?.mark ?? seen
      state.forgotten = SeenMark()
      state.retired += compaction?.dropped ?? KeyTally()
      state.compaction = nil
    case nil: break
    }
    return state
  }
}

extension LedgerState {
  /// The columns in the order in which `init(_:)` reads them and `values` has them.
  static let columns = "\(firstColumns), \(laterColumns)"

  private static let firstColumns = """
    commits, committed_at, seen_entries, seen_checksum, retired_count, retired_sum, retired_difference,
    pending_entries, pending_checksum, pending_count, pending_sum, pending_difference
    """

  /// The columns since version 5 of the ledger.
  private static let laterColumns = """
    next_input, put_away_inputs, put_away_entries, put_away_checksum,
    put_away_forgotten_entries, put_away_forgotten_checksum, seen_forgotten_entries, seen_forgotten_checksum
    """

  /// Returns the expressions that read the columns from a ledger of a version. Columns that it lacks are 0.
  static func columns(ofVersion version: Int64) -> String {
    version > 4 ? columns : firstColumns + String(repeating: ", 0", count: 8)
  }

  /// Reads the state from a row.
  init(_ row: SQLiteStatement) throws(FileFailure) {
    func mark(_ column: Int32) throws(FileFailure) -> SeenMark {
      SeenMark(entries: try row.count(column), checksum: try row.integer(column + 1, as: UInt32.self))
    }
    func tally(_ column: Int32) throws(FileFailure) -> KeyTally {
      KeyTally(
        count: try row.count(column),
        sum: try row.wide(column + 1),
        difference: try row.wide(column + 2)
      )
    }
    commits = try row.count(0)
    committedAt = try row.count(1)
    seen = try mark(2)
    retired = try tally(4)
    if !row.isNull(7) { compaction = SeenCompaction(mark: try mark(7), dropped: try tally(9)) }
    nextInput = try row.count(12)
    putAway = PutAwayExtent(inputs: try row.count(13), end: try mark(14), forgotten: try mark(16))
    forgotten = try mark(18)
  }

  /// The values of the columns.
  var values: [SQLiteValue] {
    func values(_ mark: SeenMark?) -> [SQLiteValue] {
      mark.map { [.integer($0.entries), .integer(Int64($0.checksum))] } ?? [.null, .null]
    }
    func values(_ tally: KeyTally?) -> [SQLiteValue] {
      tally.map { [.integer($0.count), .wide($0.sum), .wide($0.difference)] } ?? [.null, .null, .null]
    }
    return [.integer(commits), .integer(committedAt)] + values(seen) + values(retired)
      + values(compaction?.mark) + values(compaction?.dropped) + [.integer(nextInput), .integer(putAway.inputs)]
      + values(putAway.end) + values(putAway.forgotten) + values(forgotten)
  }
}

/// The inputs that were put away: their number, and the committed extent of `put-away.log`, which recognises their content.
package struct PutAwayExtent: Equatable, Sendable {
  /// The number of inputs.
  package var inputs: Int64 = 0
  /// The committed end of the log.
  package var end = SeenMark()
  /// The position before which all entries are forgotten.
  package var forgotten = SeenMark()
}

/// The changes of one transaction of the ledger.
package struct LedgerCommit: Sendable {
  /// The inputs that are new or have changed.
  package var inputs: [LedgerInput] = []
  /// The parts that are new or have changed.
  package var parts: [LedgerPart] = []
  /// The durable end of `seen.log`; nil if it has not changed.
  package var seen: SeenMark?
  /// The amounts to add to the counters.
  package var increments: [LedgerCounter: Int64] = [:]
  /// The time of the commit, in milliseconds since 1970.
  package var time: Int64
  /// The rejects of earlier runs that were read again, all by the same run.
  package var reprocessed: [ReprocessedReject] = []
  /// The rows and parts that the commit removes, at most one removal for each table.
  package var removals: [TableRemoval] = []
  /// The settings from this commit on, where they are others than before.
  package var settings: LedgerSettings?
  /// The numbers of the inputs whose rows are dropped.
  var dropped: [UInt32] = []
  /// The inputs that were put away, with those of `dropped`; nil if they have not changed.
  var putAway: PutAwayExtent?
  /// The entries of `seen.log` that are forgotten; nil if no further ones are.
  var forgotten: ForgottenEntries?
  /// A step of a compaction of `seen.log`; nil if the commit is no such step.
  var compaction: SeenCompaction.Step?

  /// Creates a commit without changes.
  package init(time: Int64) { self.time = time }
}

/// The output that a ledger belongs to.
package struct LedgerOutput: Equatable, Sendable {
  /// The id of the output.
  package let id: OutputID
  /// True if the folder of the tables holds the id.
  package var isMarked: Bool
}

extension Ledger {
  /// Reads the secret of the digests by which resends are recognised.
  static func resendKey(in database: SQLiteDatabase) throws(FileFailure) -> ResendKey {
    let statement = try SQLiteStatement(database, "SELECT resend_low, resend_high FROM state")
    let key = try statement.first { row throws(FileFailure) in
      (try row.integer(0) as Int64, try row.integer(1) as Int64)
    }
    guard let key else { throw .damaged(database.path, "The ledger holds no state") }
    return ResendKey(low: UInt64(bitPattern: key.0), high: UInt64(bitPattern: key.1))
  }

  /// Reads the output from a ledger of version 2 or later.
  static func output(in database: SQLiteDatabase) throws(FileFailure) -> LedgerOutput {
    let statement = try SQLiteStatement(database, "SELECT output_id, output_is_marked FROM state")
    let row = try statement.first { row throws(FileFailure) in (row.text(0), try row.integer(1) as Int64) }
    guard let row, let id = OutputID(row.0) else {
      throw .damaged(database.path, "The ledger holds no id of an output")
    }
    return LedgerOutput(id: id, isMarked: row.1 != 0)
  }
}

/// The random id of an output. Both the folder of its tables and its state hold it.
///
/// A folder that is moved keeps its id. A copy of a folder has the same id, and belongs to a copy of the state that was
/// made at the same time.
package struct OutputID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the file in the folder of the tables.
  package static let fileName = "_output_id"

  /// The id as 32 hexadecimal digits in lower case.
  package let description: String

  private static let digitCount = 32
  private static let newName = "\(fileName).new"

  /// Creates an id from its digits; nil unless they are 32 hexadecimal digits in lower case.
  init?(_ digits: String) {
    guard digits.utf8.count == Self.digitCount, digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    description = digits
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  /// Reads the id in the folder at a path; nil if the folder or its id file does not exist. Throws `.damaged` if the
  /// file holds no id.
  package static func read(in folder: String) throws(FileFailure) -> OutputID? {
    guard try DurableFolder(folder).byteCount(of: fileName) != nil else { return nil }
    let path = "\(folder)/\(fileName)"
    var bytes = [UInt8](repeating: 0, count: digitCount + 8)
    let count = try DurableFile(path, .reading).read(into: &bytes, at: 0)
    // The file may have been written by hand, with another line ending.
    let text = bytes.prefix(count).split(whereSeparator: \.isWhitespace).first.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let id = text.flatMap({ OutputID($0) }) else {
      throw .damaged(path, "The file does not hold the id of an output (\(digitCount) hexadecimal digits)")
    }
    return id
  }

  /// Writes the id into a folder, durably. No crash leaves an incomplete file of this name.
  package func write(in folder: DurableFolder) throws(FileFailure) {
    let file = try DurableFile("\(folder.path)/\(Self.newName)", .creating)
    try file.append(Array("\(self)\n".utf8).span)
    try file.synchronize()
    try folder.rename(Self.newName, to: Self.fileName)
  }
}
