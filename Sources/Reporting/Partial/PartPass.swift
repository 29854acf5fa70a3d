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

/// One reading of a part of `skan_postbacks`, for what a cache lacks of its settlement, its enrichment and its daily counts.
struct PartPass {
  /// The results of a part that are wanted.
  struct Results: Sendable {
    var settled: SettledPart?
    var enriched: EnrichedPart?
    var daily: DailyPart?
  }

  let copies: PartCopies
  let jobs: Int
  /// The settlement; nil if it is not wanted. Then the enrichment and the counts follow from rows that are given.
  var settlement: PartCalculation<Settler>?
  var enrichment: PartCalculation<Enricher>?
  var daily: PartCalculation<DailyCounter>?

  private var cache: PartCache { copies.cache }

  init(_ copies: PartCopies, jobs: Int) { (self.copies, self.jobs) = (copies, jobs) }

  /// Returns the results of a part, of which `given` has the rows of `skan_settled` unless the settlement is wanted too.
  func results(of part: Int, _ given: SettledFiles? = nil) async throws(PipelineFailure) -> Results {
    var results = Results()
    var settled = given
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
    if settlement == nil || results.settled != nil {
      try findNames()
      if enrichment != nil { results.enriched = try EnrichedPart(names.enriched, in: cache) }
      if daily != nil { results.daily = try DailyPart(names.daily, in: cache) }
    }
    let missing = Missing(
      settler: results.settled == nil ? settlement?.calculation : nil,
      enricher: results.enriched == nil ? enrichment?.calculation : nil,
      counter: results.daily == nil ? daily?.calculation : nil
    )
    guard !missing.isEmpty else { return results }
    var writer = try Writer(missing, in: cache)
    try await read(part, missing, settled?.rows, into: &writer)
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
    return results
  }

  private func read(
    _ part: Int,
    _ missing: Missing,
    _ settled: TableFiles?,
    into writer: inout Writer
  ) async throws(PipelineFailure) {
    let table = try await copies.table(of: part)
    let copies = copies
    var rows = settled.map { SettledRows($0) }
    try await copies.parts[part].files.scan(jobs: jobs) { batch throws(PipelineFailure) in
      guard var reading = rows else { return RawBatch(bytesToAdd: 0) }
      // Without another reference the rows are not copied.
      rows = nil
      let next = try await reading.next(beside: batch) { () async throws(PipelineFailure) in
        try await copies.keys(of: part)
      }
      rows = reading
      return next
    } _: { batch, rows in
      missing.work(batch, table, rows)
    } take: { batch throws(PipelineFailure) in
      if let settled = batch.settled { try writer.settled?.add(settled) }
      if let enriched = batch.enriched { try writer.enriched?.add(enriched) }
      if let daily = batch.daily { writer.daily?.add(daily) }
    }
  }

  /// The rows of a settlement in the cache as files; nil if there are none.
  private func files(_ settled: SettledPart?) throws(PipelineFailure) -> SettledFiles? {
    guard let settled, settled.rows.count > 0, let rows = settled.rows.files[.jsonLines] else { return nil }
    let events = settled.events.count > 0 ? settled.events.files[.jsonLines] : nil
    return try PipelineFailure.state { () throws(FileFailure) in
      SettledFiles(
        rows: try TableFiles(.settled, file: "\(cache.path)/\(rows.name)"),
        events: try events.map { file throws(FileFailure) in
          try TableFiles(.settledEvents, file: "\(cache.path)/\(file.name)")
        }
      )
    }
  }
}

/// The calculations that are missing.
private struct Missing: Sendable {
  let settler: Settler?
  let enricher: Enricher?
  let counter: DailyCounter?

  var isEmpty: Bool { settler == nil && enricher == nil && counter == nil }

  /// The results for a batch.
  struct Batch: Sendable {
    var settled: Settler.Batch?
    var enriched: Enricher.Batch?
    var daily: DailyBatch?
  }

  func work(_ batch: RawBatch, _ copies: RecordTable, _ rows: RawBatch) -> Batch {
    var results = Batch()
    results.settled = settler?.settle(batch, copies)
    guard enricher != nil || counter != nil else { return results }
    let encoded = results.settled.map { RowBatch($0.rows, in: .jsonLines, of: .settled) }
    let settled = encoded.map { SettledBatch.encoded($0) } ?? .read(rows)
    if let enricher {
      (results.enriched, results.daily) = enricher.enrich(batch, copies, settled: settled, counter)
    } else {
      results.daily = counter?.count(batch, copies, settled: settled)
    }
    return results
  }
}

/// The writers of what is missing.
private struct Writer {
  var settled: SettledPartWriter?
  var enriched: EnrichedPartWriter?
  var daily: DailyPart?

  init(_ missing: Missing, in cache: PartCache) throws(PipelineFailure) {
    if let settler = missing.settler { settled = try SettledPartWriter(settler.encoding, in: cache) }
    if let enricher = missing.enricher { enriched = try EnrichedPartWriter(enricher.encoding, in: cache) }
    if missing.counter != nil { daily = DailyPart() }
  }
}
