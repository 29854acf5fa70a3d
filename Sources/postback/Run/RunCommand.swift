internal import Analysis
internal import Base
internal import ConversionModel
internal import DurableFiles
internal import Ledger
internal import ObjectStorage
internal import PostbackPipeline
internal import PostbackVerification
internal import Signatures
internal import Tables

/// `postback run`: the batch job, from dumps to tables.
struct RunCommand: Command {
  struct Options: OptionGroup {
    let models = Option.models()
    let reprocessing = ReprocessingOptions()
    let inputs = InputOptions()
    let tables = TablesOptions()
    let trust = TrustOptions()
    let receivedAt = ReceivedAtOptions()
    let postbackBytes = Option.postbackBytes()
    let jobs = Option.jobs("Work on N batches at once; default the number of cores.\nThe result is the same for any N.")
    let shard = Option(
      "--shard K/N",
      "Take only the records of shard K of N, such as 1/4. Give each of the N runs all inputs, and\ntables of its own."
    ).value("K/N, such as 1/4, with K from 1 to N and N up to \(Shard.limit)") { Shard($0) }
    let rejectLimit = RejectLimit.option
    let printsJSON = Option.json("Print the summary as JSON.")
    let configuration = ConfigurationOption()
  }

  static let manual = Manual(
    name: "run",
    summary: "Read postbacks, verify, deduplicate and decode them, and write tables.",
    usage:
      "INPUT… | --from-rejects OUT --out DIR [--state DIR] [--models PATH] [--format jsonl|csv|both] [--jobs N] [--json] …",
    discussion: """
      INPUT is a file, a folder (every file in it and its sub-folders, by path), an address (https://…, or s3://BUCKET/KEY
      for an object or all below it) or - for standard input. It holds JSON Lines, JSON objects, a JSON array or CSV, of
      postbacks with or without envelopes, and may be compressed with gzip or zstd. Every postback becomes one row: in
      DIR/skan_postbacks, or with the reason in DIR/skan_rejects. The meaning of the conversion values is in
      DIR/skan_events. Of folders, names that begin with . or _ are left out, and counted.

      The state records what the tables hold. A run that was interrupted in any way continues where it stopped. Inputs that
      are in the tables already are skipped, and an input that has grown is read from its old end. Standard input and pipes
      count as new each time. Copies of a postback are recognised in all runs with one state.

      --from-rejects reads rejects again, usually into the same folder, each row once for the same keys and policy. Copies
      stay rejected, and so do records of which not all bytes were kept. The old rows stay as they are, but rejects, report
      and status no longer count them. Stop a consumer of that state first.

      Rejects are data: the exit status is 0, or 1 if more than --fail-if-rejected allows were rejected. Other exit
      statuses: 64 usage, 65 model, key or state, 66 input, 70 libcrypto, 73 an output cannot be created, 74 I/O, 75 locked.
      """,
    options: Options.options,
    example: """
      postback run Fixtures/postbacks --models Fixtures/models --received-at 2026-03-10T00:00:00Z --out out
      """
  )

  private let options: Options
  private let inputs: [String]
  private let contexts: [String: InputContext]
  private let tables: TableOptions
  private let state: String
  private let trust: TrustPolicy
  private let limits: ReadLimits

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    inputs = arguments.operands
    try options.reprocessing.check(inputs)
    try options.inputs.check()
    contexts = try options.inputs.contexts(in: options.configuration.path)
    var tables = try options.tables.tables()
    tables.shard = options.shard
    self.tables = tables
    state = options.tables.stateFolder(of: tables)
    trust = try options.trust.trust()
    limits = options.postbackBytes.map { ReadLimits(recordBytes: $0) } ?? ReadLimits()
  }

  func run() async throws {
    let start = ContinuousClock.now
    try options.reprocessing.checkFolder()
    let used = PipelineSettings(trust: trust, models: try Models(loading: options.models), limits: limits)
    let remote = RemoteInputs()
    let found = try options.inputs.find(inputs, contexts, remote, tables: tables.folder, state: self.state)
    var pipeline = Pipeline(inputs: found.files, settings: Replaceable(used))
    pipeline.receivedAt = options.receivedAt.rule
    pipeline.jobs = options.jobs
    pipeline.shard = tables.shard
    TrustOptions.announce(trust)
    let settings = try RunSettings(used, format: tables, program: Main.version)
    let state = try openState()
    let written = try TableWriter(tables, state)
    let changes = try written.use(settings)
    if !changes.isEmpty { Terminal.warn(RunSettings.Change.sentence(changes)) }
    let tally: Tally
    var known = 0
    var csv = 0
    var empty = Set(inputs.indices)
    let rejects = try options.reprocessing.open(into: written, settings)
    let bar = ProgressBar(inputs: rejects?.parts ?? pipeline.inputs)
    do {
      defer { bar.clear() }
      if let rejects {
        tally = try await pipeline.run(
          records: rejects,
          continuing: state,
          into: written,
          progress: { bar.show($0) }
        )
      } else {
        tally = try await pipeline.run(
          remote.source(found.files),
          continuing: state,
          into: written,
          progress: { bar.show($0) },
          committed: { commit in
            for ended in commit.ends {
              csv += ended.input.isCSV ? 1 : 0
              if case .known = ended.end { known += 1 } else if ended.records == 0 { continue }
              empty.remove(ended.input.place)
            }
          }
        )
      }
    }
    let parts = try written.writtenParts()
    let late = try RunWarning.onRemovedDays(tally, state: self.state)
    StateReserve.make(in: DurableFolder(self.state))
    let hasCustomKeys = trust.keys.contains(where: \.isAdded)
    let warnings =
      RunWarning.warnings(tally, hasModels: !options.models.isEmpty, hasCustomKeys: hasCustomKeys)
      + RunWarning.withoutRecords(empty.sorted().map { RemoteInputs.name(of: inputs[$0]) }) + late
    for warning in warnings { Terminal.warn(warning.message) }
    let summary = RunSummary(
      tally: tally,
      known: known,
      csv: csv,
      leftOut: found.leftOut,
      elapsed: ContinuousClock.now - start,
      tables: written.rowCounts,
      parts: parts,
      changes: changes,
      warnings: warnings,
      rejects: rejects?.counts,
      verification: trust.verification,
      lacksTables: trust.keys.contains { $0.key.lacksTables }
    )
    if options.printsJSON || !Terminal.isQuiet {
      try Terminal.print(options.printsJSON ? summary.json : summary.text(folder: tables.folder))
    }
    try rejects?.counts.unreadable.throwIfAny()
    try options.rejectLimit?.check(tally)
  }

  private func openState() throws -> PipelineState {
    let line = ProgressLine(after: .milliseconds(500))
    defer { line.clear() }
    do throws(FileFailure) {
      try OutputFolder.refuseNewState(in: state, of: tables.folder)
      return try PipelineState(state, settings: tables.settings) { line.show("opening the state, \(Int($0 * 100)) %") }
    } catch {
      throw error.kind == .locked ? error.withAdviceOnDumps : error
    }
  }
}

extension FileFailure {
  /// The failure for a state in use, with the ways to give dumps to a consumer, which may run for months.
  fileprivate var withAdviceOnDumps: FileFailure {
    FileFailure(
      kind,
      path,
      event,
      advice: """
        A consumer, watch or serve --watch, ends only when it is stopped. Beside it, move dumps into new/ of its spool, \
        and leave inputs out of the configuration of refresh, or give it --only with the other steps, such as \
        settle,enrich,daily,report. Wait for anything else to end
        """
    )
  }
}
