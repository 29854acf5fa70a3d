internal import Analysis
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables

/// The rows of `skan_settled` beside those of `skan_postbacks`, batch by batch.
///
/// As long as nothing was removed from `skan_postbacks`, both tables have their rows in the same order, and are read one beside
/// the other. Otherwise the rows of `skan_settled` are sorted by their keys and meet those of `skan_postbacks` by these.
struct SettledRows {
  private enum Source {
    case none
    case aligned(AlignedRows)
    case byKey(CopyJoin)
  }

  private var source: Source

  /// The rows in the order of `skan_postbacks`; none without a table.
  init(aligned files: TableFiles?) { source = files.map { .aligned(AlignedRows($0)) } ?? .none }

  /// The rows by their keys. Temporary files are made in a folder that exists.
  init(
    byKey files: TableFiles,
    of accepted: TableFiles,
    in folder: String,
    jobs: Int
  ) async throws(PipelineFailure) {
    let collector = CopyCollector(in: folder)
    try await files.scan(jobs: jobs) {
      Self.records($0)
    } take: { records throws(PipelineFailure) in
      try collector.add(records)
    }
    source = .byKey(try await collector.join(accepted, jobs: jobs, contentStart: .max) { _, _ in })
  }

  /// Returns the rows for a batch of `skan_postbacks`. Batches follow each other.
  mutating func next(
    beside batch: RawBatch,
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(PipelineFailure) -> RawBatch {
    switch source {
    case .none: return RawBatch(bytesToAdd: 0)
    case .aligned(var rows):
      // Without another reference the rows are not copied.
      source = .none
      let next = try await rows.next(beside: batch, isolation: actor)
      source = .aligned(rows)
      return next
    case .byKey(let join): return Self.rows(for: batch, try join.next(batch.records.count))
    }
  }

  /// The lines of a batch with the keys of their postbacks.
  private static func records(_ batch: RawBatch) -> CopyCollector.Records {
    var cursor = RowCursor(batch, of: .settled)
    let key = Table.settled.place(.postbackKey)
    var records: CopyCollector.Records = []
    while cursor.next() {
      if let key = cursor.key(key) { records.append((key, Array(cursor.line))) }
    }
    return records
  }

  /// The lines for the postbacks of a batch, in its order.
  private static func rows(for batch: RawBatch, _ table: RecordTable) -> RawBatch {
    var lines: [[UInt8]] = []
    var cursor = RowCursor(batch, of: .postbacks, only: [Table.postbacks.place(.postbackKey)])
    while cursor.next() {
      guard let key = cursor.key(Table.postbacks.place(.postbackKey)) else { continue }
      var line: [UInt8]?
      table.forEach(UInt128(key)) { if line == nil { line = Array($0) } }
      if let line { lines.append(line) }
    }
    return RawBatch(lines: lines)
  }
}

/// The rows of `skan_settled` for a batch of `skan_postbacks`, of which some may have none.
struct SettledCursor: ~Copyable {
  /// The cursor at the row of the current postback.
  private(set) var row: RowCursor
  private var isPending = false
  private let key = Table.settled.place(.postbackKey)

  init(_ batch: RawBatch) { row = RowCursor(batch, of: .settled) }

  /// Moves to the row of the next postback; returns false if it has none.
  mutating func next(_ postback: PostbackKey?) -> Bool {
    if !isPending { isPending = row.next() }
    guard isPending, let postback, row.key(key) == postback else { return false }
    isPending = false
    return true
  }

  /// Indicates that a row is of no postback of the batch, or of an earlier one.
  var hasRest: Bool {
    mutating get {
      if !isPending { isPending = row.next() }
      return isPending
    }
  }
}
