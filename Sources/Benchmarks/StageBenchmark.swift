internal import Base
internal import ConversionModel
internal import Ledger
internal import PostbackPipeline
internal import PostbackVerification
internal import Signatures
internal import Tables

/// The processor time of each stage of the pipeline. The stages run one after the other over each batch of a dump, on one
/// thread at a time.
struct StageBenchmark {
  /// The number of postbacks from which the measure is long enough.
  private static let limit = 100_000
  /// The number of postbacks between two commits, about those of a second.
  private static let commitDistance = 50_000

  /// The folder for the tables.
  let folder: String

  /// Measures the stages. `processorTime` is the time of all cores for a postback in `postback run`, in microseconds.
  func measures(_ dump: Dump, models path: String, processorTime: Double) async throws -> [Measure] {
    let trust = try dump.trust()
    let (key, _) = try dump.key()
    for trusted in trust.keys { trusted.key.prepare() }
    key.prepare()
    var times = StageTimes()

    var reader = PostbackReader(inputs: try InputFile.enumerate([dump.path])).makeAsyncIterator()
    let receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"))
    let known = VerdictCache()
    let verified = BatchSource<Verified>()
    let out = "\(folder)/stages"
    defer { try? TemporaryFolder.remove(out) }
    var tables = try StageTables(out)
    var deduplicated = verified.deduplicated(in: tables.index).makeAsyncIterator()
    let models = try Models(loading: [path])
    let jsonLines = RowFormat(TableEncoding([.jsonLines]))
    let both = RowFormat(TableEncoding([.jsonLines, .csv]))
    var parts = SignedParts()
    var hash = try SHA256()
    var verifier = try BatchVerifier([key])
    var (read, accepted, commitDue) = (0, 0, Self.commitDistance)

    while read < Self.limit {
      times.start()
      guard let raw = try await reader.next() else { break }
      times.end(.read)
      let parsed = raw.parsed(receivedAt: receivedAt)
      times.end(.parse)
      verified.batch = try parsed.verified(by: trust, known: known, tables.index)
      times.end(.verify)
      guard case .batch(let unique)? = try await deduplicated.next() else { break }
      times.end(.dedup)
      let batch = unique.decoded(with: models)
      times.end(.decode)
      _ = try batch.encoded(as: jsonLines)
      times.end(.encodeJSON)
      let rows = try batch.encoded(as: both)
      times.end(.encodeBoth)
      let writes = try tables.place(rows)
      times.end(.place)
      for write in writes { try write.perform() }
      times.end(.write)

      // The parts of verification once more, each by itself.
      parts.removeAll()
      times.start()
      parts.addMessages(of: parsed)
      times.end(.message)
      try parts.addDigests(&hash)
      times.end(.sha256)
      try parts.addSignatures(of: parsed)
      times.end(.base64)
      for index in 0..<parts.count {
        verifier.add(
          parts.signatures.bytes.span.extracting(parts.signatures.range(index)),
          of: parts.digest(index),
          by: 0
        )
      }
      _ = try verifier.verify()
      times.end(.ecdsa)

      read += batch.outcomes.count
      for case .accepted in batch.outcomes { accepted += 1 }
      if read >= commitDue || read >= Self.limit {
        times.start()
        try tables.commit()
        times.end(.commit)
        commitDue += Self.commitDistance
      }
    }
    guard accepted == read else {
      throw BenchmarkFailure("\(accepted) of \(read) passed all stages")
    }
    let serial = StageTimes.Stage.serial.reduce(0) { $0 + times[$1] } / Double(read)
    var cores = Measure("serial.cores", "  cores at which it binds, extrapolated", processorTime / serial, .count)
    cores.note = "processor time of run ÷ serial time"
    return times.measures(postbacks: read) + [
      Measure("serial.time", "serial: read, deduplicate, place and commit", serial, .microseconds, to: .oneCore),
      Measure("serial.share", "  share of the processor time of run", serial / processorTime * 100, .percent),
      cores,
    ]
  }
}

/// The state and the tables of a run, written by hand: what sees all batches in order, without what runs beside it.
private struct StageTables {
  /// The index of the first postbacks.
  let index: SeenIndex
  private let options: TableOptions
  private let ledger: Ledger
  private let log: SeenLog
  private var tables: [TableParts] = []

  /// Makes an empty state and empty tables.
  init(_ folder: String) throws {
    options = TableOptions(folder: folder, formats: [.jsonLines, .csv])
    ledger = try Ledger(try StateFolder("\(folder)/_state"), settings: options.settings)
    var index = SeenIndex()
    log = try SeenLog.recover(ledger, into: &index)
    self.index = index
    let output = try OutputFolder(folder, of: ledger, [])
    tables = try Table.all.map { try TableParts($0, options.formats, in: output, [], lastNumber: 0) }
  }

  /// Gives rows their places, and adds the ids to the log. Returns the writes, which other threads do in a run.
  mutating func place(_ batch: EncodedBatch) throws -> [PartWrite] {
    var writes: [PartWrite] = []
    for table in tables.indices {
      for portion in batch.portions.all[table] { writes += try tables[table].append(portion, limit: options.partBytes) }
    }
    try log.append(batch.firsts)
    return writes
  }

  /// Commits as a run does. The time in which it waits for the disk is not processor time.
  mutating func commit() throws {
    var commit = LedgerCommit(time: 0)
    for table in tables { commit.parts += try table.synchronize() }
    try log.synchronize()
    commit.seen = log.mark
    try ledger.commit(commit)
    try log.committed()
    for table in tables.indices { try tables[table].publish() }
  }
}

/// The processor times of the stages of the pipeline.
struct StageTimes {
  /// A stage, or a part of one.
  enum Stage: String, CaseIterable {
    case read, parse, verify, message, sha256, base64, ecdsa, dedup, decode
    case encodeJSON = "encode_jsonl"
    case encodeBoth = "encode_both"
    case place, write, commit

    /// The stages that see all batches in order, on one core of however many.
    static let serial: [Stage] = [.read, .dedup, .place, .commit]

    /// The name for people.
    var title: String {
      switch self {
      case .read: "read and frame"
      case .parse: "parse"
      case .verify: "verify"
      case .message: "  of it building messages"
      case .sha256: "  of it SHA-256, of message and identity"
      case .base64: "  of it base64"
      case .ecdsa: "  of it ECDSA, with BatchVerifier"
      case .dedup: "deduplicate"
      case .decode: "decode"
      case .encodeJSON: "encode as JSON Lines"
      case .encodeBoth: "encode as JSON Lines and CSV"
      case .place: "place rows of both, log of ids"
      case .write: "write rows of both"
      case .commit: "commit"
      }
    }
  }

  /// The times in microseconds.
  private var times: [Stage: Double] = [:]
  private var lap = Machine.processorTime

  /// Starts the clock.
  mutating func start() { lap = Machine.processorTime }

  /// Adds the time since the start, or since the end of the last stage, to a stage.
  mutating func end(_ stage: Stage) {
    let now = Machine.processorTime
    times[stage, default: 0] += Double(now - lap) / 1000
    lap = Machine.processorTime
  }

  /// The time of a stage in microseconds.
  subscript(stage: Stage) -> Double { times[stage, default: 0] }

  /// Returns the time of each stage for one of `count` postbacks.
  func measures(postbacks count: Int) -> [Measure] {
    Stage.allCases.map { stage in
      Measure("stage.\(stage.rawValue)", stage.title, self[stage] / Double(count), .microseconds, to: .oneCore)
    }
  }
}

/// A source that feeds a stage of the pipeline with batches by hand, one at a time.
final class BatchSource<Good: Sendable>: AsyncSequence {
  typealias Element = Step<Batch<Good>>
  typealias Failure = PipelineFailure

  /// The next batch; nil gives the stage an end of its input, after which it may be asked again.
  var batch: Batch<Good>?

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: BatchSource

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> Step<Batch<Good>>? {
      defer { source.batch = nil }
      return source.batch.map { .batch($0) }
    }
  }
}
