internal import CampaignEnrichment
internal import ConversionModel
internal import CopySettlement
internal import DailyReports
internal import DerivedTables
internal import DurableFiles
internal import Ledger
internal import PostbackCopies
internal import PostbackPipeline
internal import TableReading
internal import Tables
internal import FraudSignals

/// One reading of a part of `skan_postbacks`, for what a cache lacks of its settlement, its enrichment, its daily counts and its
/// counts for the signals.
struct PartPass {
  /// The results of a part that are wanted.
  struct Results: Sendable {
    var settled: SettledPart?
    var enriched: EnrichedPart?
    var daily: DailyPart?
    /// The name of the counts for the signals in the cache.
    var signals: String?
  }

  let copies: PartCopies
  let jobs: Int
  /// The settlement; nil if it is not wanted. Then the enrichment and the counts follow from rows that are given.
  var settlement: PartCalculation<Settler>?
  var enrichment: PartCalculation<Enricher>?
  var daily: PartCalculation<DailyCounter>?
  var signals: PartCalculation<SignalCounter>?

  private var cache: PartCache { copies.cache }

  init(_ copies: PartCopies, jobs: Int) { (self.copies, self.jobs) = (copies, jobs) }

  /// Returns the results of a part, of which `given` has the rows of `skan_settled` unless the settlement is wanted too, and
  /// `givenEnriched` those of `skan_enriched` unless the enrichment is wanted.
  func results(
    of part: Int,
    _ given: SettledFiles? = nil,
    enriched givenEnriched: TableFiles? = nil
  ) async throws(PipelineFailure) -> Results {
    var results = Results()
    var (settled, enriched) = (given, givenEnriched)
    let inputs = [copies.parts[part].identity, copies.digest(of: part)]
    if let settlement {
      results.settled = try SettledPart(try settlement.name(.settled, inputs, in: cache), in: cache)
      settled = try files(results.settled)
    }
    var names: (enriched: String, daily: String) = ("", "")
    func findNames() throws(PipelineFailure) {
      let rows = try SettledFiles.identity(settled?.rows)
      names.enriched = try enrichment?.name(.enriched, inputs + [rows], in: cache) ?? ""
      let events = try SettledFiles.identity(settled?.events)
      names.daily = try daily?.name(.daily, inputs + [rows, events], in: cache) ?? ""
    }
    /// The name of the counts for the signals, once the rows of the tables are known.
    func signalsName() throws(PipelineFailure) -> String? {
      if enrichment != nil { enriched = try files(results.enriched?.rows, .enriched) }
      let rows = [try SettledFiles.identity(settled?.rows), try SettledFiles.identity(enriched)]
      return try signals?.name(.signals, inputs + rows, in: cache)
    }
    if settlement == nil || results.settled != nil {
      try findNames()
      if enrichment != nil { results.enriched = try EnrichedPart(names.enriched, in: cache) }
      if daily != nil { results.daily = try DailyPart(names.daily, in: cache) }
      if enrichment == nil || results.enriched != nil, let name = try signalsName() {
        let isThere = try PipelineFailure.state { () throws(FileFailure) in try cache.has(name) }
        if isThere { results.signals = name }
      }
    }
    let missing = Missing(
      settler: results.settled == nil ? settlement?.calculation : nil,
      enricher: results.enriched == nil ? enrichment?.calculation : nil,
      counter: results.daily == nil ? daily?.calculation : nil,
      signals: results.signals == nil ? signals?.calculation : nil
    )
    guard !missing.isEmpty else { return results }
    var writer = try Writer(missing, in: cache)
    try await read(part, missing, BesideRows(settled: settled?.rows, enriched: enriched), into: &writer)
    if let settlement, let written = writer.settled {
      results.settled = try written.finish(try settlement.name(.settled, inputs, in: cache))
      settled = try files(results.settled)
      try findNames()
    }
    if let written = writer.enriched { results.enriched = try written.finish(names.enriched) }
    if var written = writer.daily {
      try await written.readEvents(settled?.events, jobs: jobs)
      results.daily = try written.finish(names.daily, in: cache)
    }
    if missing.signals != nil, let name = try signalsName() {
      try cache.add(name, writer.signals.bytes)
      results.signals = name
    }
    return results
  }

  private func read(
    _ part: Int,
    _ missing: Missing,
    _ rows: BesideRows,
    into writer: inout Writer
  ) async throws(PipelineFailure) {
    let table = try await copies.table(of: part)
    let copies = copies
    var rows = rows
    try await copies.parts[part].files.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try await rows.next(beside: batch) { () async throws(PipelineFailure) in try await copies.keys(of: part) }
    } _: { batch, rows in
      missing.work(batch, table, rows)
    } take: { batch throws(PipelineFailure) in
      if let settled = batch.settled { try writer.settled?.add(settled) }
      if let enriched = batch.enriched { try writer.enriched?.add(enriched) }
      if let daily = batch.daily { writer.daily?.add(daily) }
      if let signals = batch.signals { writer.signals.merge(signals) }
    }
  }

  /// The rows of a settlement in the cache as files; nil if there are none.
  private func files(_ settled: SettledPart?) throws(PipelineFailure) -> SettledFiles? {
    guard let rows = try files(settled?.rows, .settled) else { return nil }
    return SettledFiles(rows: rows, events: try files(settled?.events, .settledEvents))
  }

  /// Rows in the cache as files of a table; nil if there are none.
  private func files(_ rows: PartRows?, _ table: Table) throws(PipelineFailure) -> TableFiles? {
    guard let rows, rows.count > 0, let file = rows.files[.jsonLines] else { return nil }
    return try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(table, file: "\(cache.path)/\(file.name)")
    }
  }
}

/// The calculations that are missing.
private struct Missing: Sendable {
  let settler: Settler?
  let enricher: Enricher?
  let counter: DailyCounter?
  let signals: SignalCounter?

  var isEmpty: Bool { settler == nil && enricher == nil && counter == nil && signals == nil }

  /// The results for a batch.
  struct Batch: Sendable {
    var settled: Settler.Batch?
    var enriched: Enricher.Batch?
    var daily: DailyBatch?
    var signals: SignalCounts?
  }

  func work(_ batch: RawBatch, _ copies: RecordTable, _ rows: BesideRows.Batch) -> Batch {
    var results = Batch()
    results.settled = settler?.settle(batch, copies)
    guard enricher != nil || counter != nil || signals != nil else { return results }
    let encoded = results.settled.map { RowBatch($0.rows, in: .jsonLines, of: .settled) }
    let settled = encoded.map { SettledBatch.encoded($0) } ?? .read(rows.settled)
    if let enricher {
      (results.enriched, results.daily) = enricher.enrich(batch, copies, settled: settled, counter)
    } else {
      results.daily = counter?.count(batch, copies, settled: settled)
    }
    if let signals {
      let encoded = results.enriched.map { RowBatch($0.rows, in: .jsonLines, of: .enriched) }
      let enriched = encoded.map { SettledBatch.encoded($0) } ?? .read(rows.enriched)
      results.signals = signals.count(batch, copies, settled: settled, enriched: enriched)
    }
    return results
  }
}

/// The writers of what is missing.
private struct Writer {
  var settled: SettledPartWriter?
  var enriched: EnrichedPartWriter?
  var daily: DailyPart?
  var signals = SignalCounts()

  init(_ missing: Missing, in cache: PartCache) throws(PipelineFailure) {
    if let settler = missing.settler { settled = try SettledPartWriter(settler.encoding, in: cache) }
    if let enricher = missing.enricher { enriched = try EnrichedPartWriter(enricher.encoding, in: cache) }
    if missing.counter != nil { daily = DailyPart() }
  }
}
