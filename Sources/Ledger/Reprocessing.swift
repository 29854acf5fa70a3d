package import DurableFiles
package import SKAdNetwork
package import Signatures

/// A run that takes rejects of an output up again.
package struct ReprocessingRun: Hashable, Sendable {
  /// Its number in the ledger.
  let id: Int64
  /// The output whose rejects they are.
  package let output: OutputID
  /// The last part of its rejects that is read. What comes of them, if it is rejects again, goes to later ones.
  package let lastPart: Int
  /// The digest of what rejects are decided by.
  let decision: String
  /// Tells if rejects of this output were taken up before.
  let hasPredecessor: Bool
}

/// A reject that is taken up again: a row of `skan_rejects`.
package struct ReprocessedReject: Sendable {
  /// The run that takes it up.
  package let run: ReprocessingRun
  /// The part and the line in it where the row stands.
  package let place: (part: Int, line: Int)
  /// The file and line of the record in the original input.
  package let source: (file: String, line: Int)
  /// The digest of the record's bytes.
  package let digest: SHA256Digest
  /// The reject code of the row.
  package let code: RejectCode

  /// A reject.
  package init(
    run: ReprocessingRun,
    place: (part: Int, line: Int),
    source: (file: String, line: Int),
    digest: SHA256Digest,
    code: RejectCode
  ) {
    (self.run, self.place, self.source, self.digest, self.code) = (run, place, source, digest, code)
  }

  /// The earlier decision on a row.
  package enum History: Sendable {
    /// Nothing.
    case none
    /// It was taken up.
    case takenUp
    /// It is what came of a reject that was taken up with the same keys and policy: it would come to the same again.
    case decided
  }
}

extension Ledger {
  /// A run that takes rejects of an output up again, from parts up to a last one.
  package func makeReprocessingRun(
    of output: OutputID,
    lastPart: Int,
    _ settings: RunSettings
  ) throws(FileFailure) -> ReprocessingRun {
    let earlier = try SQLiteStatement(database, "SELECT 1 FROM feeds WHERE output_id = ? LIMIT 1")
    return ReprocessingRun(
      id: try database.integer("SELECT coalesce(max(id), 0) FROM feeds") + 1,
      output: output,
      lastPart: lastPart,
      decision: settings.decision,
      hasPredecessor: try earlier.first(.text(output.description)) { _ in true } ?? false
    )
  }

  /// Returns the decision of earlier runs on a row.
  package func history(of reject: ReprocessedReject) throws(FileFailure) -> ReprocessedReject.History {
    guard reject.run.hasPredecessor else { return .none }
    let output = SQLiteValue.text(reject.run.output.description)
    let part = SQLiteValue.integer(Int64(reject.place.part))
    func isThere(_ statement: SQLiteStatement, _ values: SQLiteValue...) throws(FileFailure) -> Bool {
      try statement.first(values) { _ in true } ?? false
    }
    if try isThere(reprocessingStatements.place, part, .integer(Int64(reject.place.line)), output) { return .takenUp }
    let isDecided = try isThere(
      reprocessingStatements.record,
      .bytes(reject.digest),
      .integer(Int64(reject.source.line)),
      .text(reject.source.file),
      output,
      .text(reject.run.decision),
      part
    )
    return isDecided ? .decided : .none
  }

  /// The lines of the rows of `skan_rejects` of an output that were taken up again, by part.
  static func reprocessedRows(of output: OutputID, in database: SQLiteDatabase) throws(FileFailure) -> [Int: Set<Int>] {
    let statement = try SQLiteStatement(
      database,
      "SELECT part, line FROM fed_back JOIN feeds ON feeds.id = feed WHERE output_id = ?"
    )
    let rows = try statement.all(.text(output.description)) { row throws(FileFailure) in
      (try row.count(0, as: Int.self), try row.count(1, as: Int.self))
    }
    return rows.reduce(into: [:]) { $0[$1.0, default: []].insert($1.1) }
  }
}

/// The statements about rejects that were taken up, prepared once.
struct ReprocessingStatements {
  /// Finds a row that was taken up, by its part, line and output.
  let place: SQLiteStatement
  /// Finds a row that came of one that was taken up, by its record and the settings that decided it.
  let record: SQLiteStatement
  private let putRun: SQLiteStatement
  private let putRow: SQLiteStatement

  init(_ database: SQLiteDatabase) throws(FileFailure) {
    let rows = "SELECT 1 FROM fed_back JOIN feeds ON feeds.id = feed WHERE"
    place = try SQLiteStatement(database, "\(rows) part = ? AND line = ? AND output_id = ? LIMIT 1")
    record = try SQLiteStatement(
      database,
      """
      \(rows) raw_sha256 = ? AND source_line = ? AND source_file = ? AND output_id = ? AND decision = ?
        AND last_part < ? LIMIT 1
      """
    )
    putRun = try SQLiteStatement(database, "INSERT OR IGNORE INTO feeds VALUES (?, ?, ?, ?, ?)")
    putRow = try SQLiteStatement(database, "INSERT INTO fed_back VALUES (?, ?, ?, ?, ?, ?)")
  }

  /// Notes that rejects were taken up, as part of the transaction of a commit with that number.
  func write(_ rejects: [ReprocessedReject], commit: Int64) throws(FileFailure) {
    guard let run = rejects.first?.run else { return }
    try putRun.run(
      .integer(run.id),
      .text(run.output.description),
      .integer(Int64(run.lastPart)),
      .text(run.decision),
      .integer(commit)
    )
    for reject in rejects {
      try putRow.run(
        .integer(Int64(reject.place.part)),
        .integer(Int64(reject.place.line)),
        .integer(run.id),
        .text(reject.source.file),
        .integer(Int64(reject.source.line)),
        .bytes(reject.digest)
      )
    }
  }
}
