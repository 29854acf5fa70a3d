internal import Base
internal import CampaignEnrichment
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
struct PartPass: Sendable {
  /// The results of a part that are wanted, all of which are there.
  struct Results: Sendable {
    var settled: SettledPart?
    var enriched: EnrichedPart?
    /// The counts, if they were counted now; those that are in the cache are merged from there.
    var dailyCounts: DailyPart?
    var signalCounts: SignalCounts?
  }

  let copies: PartCopies
  private(set) var jobs: Int
  /// The settlement; nil if it is not wanted. Then the enrichment and the counts follow from rows that are given.
  var settlement: PartCalculation<Settler>?
  var enrichment: PartCalculation<Enricher>?
  var daily: PartCalculation<DailyCounter>?
  var signals: PartCalculation<SignalCounter>?
  /// The rows of tables by the number of their part: those of `skan_settled` unless the settlement is wanted too, and those of
  /// `skan_enriched` unless the enrichment is wanted.
  var settled: [Int: SettledFiles] = [:]
  var enriched: [Int: TableFiles] = [:]

  private var cache: PartCache { copies.cache }

  init(_ copies: PartCopies, jobs: Int) { (self.copies, self.jobs) = (copies, jobs) }

  /// Calls `body` with each part and its results, in order. Parts that lack results are worked on side by side.
  func forEach(
    _ body: (TablePart, Results) throws(PipelineFailure) -> Void = { _, _ in }
  ) async throws(PipelineFailure) {
    let found = try copies.parts.indices.map { part throws(PipelineFailure) in try present(part) }
    let lacking = found.indices.filter { !found[$0].missing.isEmpty }
    var pass = self
    pass.jobs = lacking.count < jobs ? jobs : 1
    var made = lacking.mapConcurrently(jobs) { [pass] part throws(PipelineFailure) in
      try await pass.results(of: part)
    }.makeAsyncIterator()
    for (part, known) in zip(copies.parts, found) {
      try PipelineFailure.checkCancellation(of: cache.path)
      if known.missing.isEmpty {
        try body(part, known.results)
      } else if let results = try await made.next() {
        try body(part, results)
      }
    }
  }

  /// Returns the results of a part.
  func results(of part: Int) async throws(PipelineFailure) -> Results {
    var (results, missing) = try present(part)
    guard !missing.isEmpty else { return results }
    var names = try names(of: part, results)
    var writer = try Writer(missing, "new.\(part)", in: cache)
    try await read(part, missing, AlignedBatches(settled: names.settled?.rows, enriched: names.enriched), into: &writer)
    if let settlement, let written = writer.settled {
      results.settled = try written.finish(try settlement.name(.settled, inputs(of: part), in: cache))
      names = try self.names(of: part, results)
    }
    if let written = writer.enriched {
      results.enriched = try written.finish(names.enrichment)
      names = try self.names(of: part, results)
    }
    if var written = writer.daily {
      try await written.readEvents(names.settled?.events, jobs: jobs)
      // Counts with lines that are not rows are made again each time, so that these are reported.
      if written.unreadable.count == 0 { try cache.add(names.daily, written) }
      results.dailyCounts = written
    }
    if missing.signals != nil {
      try cache.add(names.signals, writer.signals)
      results.signalCounts = writer.signals
    }
    return results
  }

  /// The daily counts of all parts, for their merge.
  func dailyItems() throws(PipelineFailure) -> [PartMerging<DailyPart>.Item] {
    try items(\.daily, \.dailyCounts)
  }

  /// The counts of all parts for the signals, for their merge.
  func signalItems() throws(PipelineFailure) -> [PartMerging<SignalCounts>.Item] {
    try items(\.signals, \.signalCounts)
  }

  private func items<Counts: PartResult>(
    _ name: (Names) -> String,
    _ counts: @escaping @Sendable (Results) -> Counts?
  ) throws(PipelineFailure) -> [PartMerging<Counts>.Item] {
    try copies.parts.enumerated().map { place, part throws(PipelineFailure) in
      let name = name(try names(of: place, Results()))
      return PartMerging.Item(part.number, name) { [self] jobs, take throws(PipelineFailure) in
        var pass = self
        pass.jobs = jobs
        if let counts = counts(try await pass.results(of: place)) { return take(counts) }
        if let counts: Counts = try cache.result(name) { return take(counts) }
        // The file is damaged.
        try PipelineFailure.state { () throws(FileFailure) in try cache.remove(name) }
        guard let counts = counts(try await pass.results(of: place)) else { throw cache.damage(of: name) }
        take(counts)
      }
    }
  }

  // MARK: - Names

  /// The names of results of a part in the cache, and the rows that they follow from.
  private struct Names {
    var settled: SettledFiles?
    var enriched: TableFiles?
    var enrichment = ""
    var daily = ""
    var signals = ""
  }

  private func inputs(of part: Int) -> [String] { [copies.parts[part].identity, copies.digest(of: part)] }

  /// The names that follow from the rows that are known.
  private func names(of part: Int, _ results: Results) throws(PipelineFailure) -> Names {
    let number = copies.parts[part].number
    var names = Names()
    names.settled = settlement == nil ? settled[number] : try files(results.settled)
    names.enriched = enrichment == nil ? enriched[number] : try files(results.enriched?.rows, .enriched)
    let rows = try SettledFiles.identity(names.settled?.rows)
    let inputs = inputs(of: part)
    names.enrichment = try enrichment?.name(.enriched, inputs + [rows], in: cache) ?? ""
    names.daily =
      try daily?.name(.daily, inputs + [rows, try SettledFiles.identity(names.settled?.events)], in: cache) ?? ""
    names.signals =
      try signals?.name(.signals, inputs + [rows, try SettledFiles.identity(names.enriched)], in: cache) ?? ""
    return names
  }

  /// Finds the results of a part that are there.
  private func present(_ part: Int) throws(PipelineFailure) -> (results: Results, missing: Missing) {
    var results = Results()
    if let settlement {
      results.settled = try SettledPart(try settlement.name(.settled, inputs(of: part), in: cache), in: cache)
    }
    var (hasDaily, hasSignals) = (false, false)
    if settlement == nil || results.settled != nil {
      var names = try names(of: part, results)
      if enrichment != nil {
        results.enriched = try EnrichedPart(names.enrichment, in: cache)
        names = try self.names(of: part, results)
      }
      hasDaily = try has(names.daily)
      if enrichment == nil || results.enriched != nil { hasSignals = try has(names.signals) }
    }
    let missing = Missing(
      settler: results.settled == nil ? settlement?.calculation : nil,
      enricher: results.enriched == nil ? enrichment?.calculation : nil,
      counter: hasDaily ? nil : daily?.calculation,
      signals: hasSignals ? nil : signals?.calculation
    )
    return (results, missing)
  }

  private func has(_ name: String) throws(PipelineFailure) -> Bool {
    guard !name.isEmpty else { return false }
    return try PipelineFailure.state { () throws(FileFailure) in try cache.has(name) }
  }

  private func read(
    _ part: Int,
    _ missing: Missing,
    _ rows: AlignedBatches,
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

  func work(_ batch: RawBatch, _ copies: RecordTable, _ rows: AlignedBatches.Batch) -> Batch {
    let postbacks = ParsedRows(batch, of: .postbacks)
    var results = Batch()
    results.settled = settler?.settle(postbacks, copies)
    guard enricher != nil || counter != nil || signals != nil else { return results }
    let settled = parsed(results.settled?.rows, or: rows.settled, of: .settled)
    if let enricher {
      (results.enriched, results.daily) = enricher.enrich(postbacks, copies, settled: settled, counter)
    } else {
      results.daily = counter?.count(postbacks, copies, settled: settled)
    }
    if let signals {
      let enriched = parsed(results.enriched?.rows, or: rows.enriched, of: .enriched)
      results.signals = signals.count(postbacks, copies, settled: settled, enriched: enriched)
    }
    return results
  }

  /// The rows of a derived table that were just calculated, or else those that were read.
  private func parsed(_ encoded: EncodedRows?, or read: RawBatch, of table: Table) -> ParsedRows {
    encoded.map { ParsedRows(RowBatch($0, in: .jsonLines, of: table), of: table) } ?? ParsedRows(read, of: table)
  }
}

/// The writers of what is missing.
private struct Writer {
  var settled: SettledPartWriter?
  var enriched: EnrichedPartWriter?
  var daily: DailyPart?
  var signals = SignalCounts()

  init(_ missing: Missing, _ part: String, in cache: PartCache) throws(PipelineFailure) {
    if let settler = missing.settler { settled = try SettledPartWriter(part, settler.encoding, in: cache) }
    if let enricher = missing.enricher { enriched = try EnrichedPartWriter(part, enricher.encoding, in: cache) }
    if missing.counter != nil { daily = DailyPart() }
  }
}
