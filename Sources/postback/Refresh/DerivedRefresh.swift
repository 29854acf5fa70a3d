internal import TableReading
internal import DerivedTables
internal import DurableFiles
internal import FraudSignals
internal import JSON
internal import Reporting

/// The result of a step of `postback refresh`.
struct RefreshResult {
  /// The name of the step.
  let step: String
  /// The state of the step: `made`, `current` if nothing was to be done, or `planned`.
  let state: String
  /// The reason for which something was, or would be, done; a few words on the result otherwise.
  var note = ""
  /// The summary of the step; nil if it has none.
  var summary: JSONValue?
  var duration = Duration.zero

  /// Indicates that the step has something to do.
  var isPlanned: Bool { state == "planned" }

  /// The result as a JSON object.
  var json: JSONValue {
    .object([
      .init("step", .string(step)), .init("state", .string(state)), .init("note", .string(note)),
      .init("seconds", .number(String((duration / .milliseconds(1)).rounded() / 1000))),
      .init("summary", .optional(summary)),
    ])
  }
}

/// The steps that make derived tables, all in one generation.
struct DerivedRefresh {
  /// The commands, in the order in which they build on each other.
  let commands: [any DerivedCommand]

  /// The reason for which a link of a table is made again, and not the table.
  static let lostLink = "a table is not in its place"

  /// Makes a refresh of commands, which read each file once for all of them.
  init(_ commands: [any DerivedCommand]) {
    let files = LoadedFiles()
    self.commands = commands.map { command in
      var command = command
      command.files = files
      return command
    }
  }

  /// Returns the steps that would make their tables again, with the reasons, and those that are current. `rows` is the digest
  /// of the tables of the run; nil to read them.
  func plan(_ rows: String? = nil) throws -> [RefreshResult] {
    guard let first = commands.first else { return [] }
    var results: [RefreshResult] = []
    guard try DurableFolder(first.derived.output).byteCount(of: ".") != nil else {
      return commands.map {
        RefreshResult(step: type(of: $0).manual.name, state: "planned", note: DerivedInputs.none)
      }
    }
    let snapshot = try DerivedSnapshot(of: first.derived.target, repairing: true)
    let (manifest, damaged) = (snapshot.manifest, try snapshot.changedFiles())
    let rows = try rows ?? first.derived.tables().digest()
    let isPublished = try DerivedStore.isPublished(in: first.derived.target)
    var isChanged = false
    for command in commands {
      let name = type(of: command).manual.name
      var reason = try DerivedInputs(command, rows: rows, manifest).reason(toReplace: manifest.inputs[name])
      if let failure = snapshot.manifestFailure { reason = "\(DerivedManifest.fileName): \(failure.event)" }
      let tables = DerivedStore.tables(of: name)
      if let file = damaged.first(where: { tables.contains($0.table) }) { reason = file.text }
      if isChanged, reason == nil { reason = "the tables before it have changed" }
      isChanged = isChanged || reason != nil
      if reason == nil, !isPublished { reason = Self.lostLink }
      results.append(RefreshResult(step: name, state: reason == nil ? "current" : "planned", note: reason ?? ""))
    }
    return results
  }

  /// Throws if a model that the tables were made with is gone, and makes nothing without it.
  func verifyModels() throws {
    for case let settle as SettleCommand in commands {
      let before = try DerivedSnapshot(of: settle.derived.target, repairing: true).manifest
      try settle.verifyModels(since: before)
    }
  }

  /// Calculates the results for parts that several steps lack, with one reading of each part.
  private func prepare(_ work: DerivedWork, _ results: [RefreshResult]) async throws {
    let planned = zip(commands, results).filter(\.1.isPlanned).map { $0.0 }
    guard planned.count > 1, let settle = planned.first as? SettleCommand else { return }
    var preparation = try settle.preparation()
    preparation.isEnriching = planned.contains { $0 is EnrichCommand }
    for case let daily as DailyCommand in planned {
      preparation.daily = try daily.countingSettings()
      preparation.lateAfterDays = SignalCounter.lateAfterDays
      preparation.signalsSince = try work.tables.completeSince()
    }
    try await preparation.fill(
      work.cache,
      accepted: work.tables.postbacks,
      rejects: work.tables.rejects,
      jobs: settle.derived.jobs
    )
  }

  /// Makes the tables that are not current, and commits them. Also returns the tests of signals, if they were made.
  func run() async throws -> (results: [RefreshResult], signals: KnownSignals?) {
    HeapSettings.giveFreeMemoryBack()
    var results = try plan()
    guard let first = commands.first else { return (results, nil) }
    guard results.contains(where: \.isPlanned) else {
      // With work to do the warning comes with it.
      try first.derived.tables().warnOfMissingParts()
      return (results, nil)
    }
    let progress = ProgressLine()
    var answers: [DerivedAnswer] = []
    do {
      defer { progress.clear() }
      let planned = zip(commands, results).filter(\.1.isPlanned).map { type(of: $0.0) }
      let work = try DerivedWork(first.derived, for: planned, progress: progress.handler)
      // Another refresh may have done the work until this one had the lock, and a lost link is in its place again.
      results = zip(results, try plan(work.rows)).map { before, now in
        guard before.isPlanned, !now.isPlanned else { return now }
        return RefreshResult(step: now.step, state: now.state, note: "it was to be done, because \(before.note)")
      }
      guard results.contains(where: \.isPlanned) else { return (results, nil) }
      for (command, result) in zip(commands, results) where result.isPlanned { try command.verifyFiles(in: work) }
      try await work.reading { try await prepare(work, results) }
      FreeMemory.giveBack()
      for (place, command) in commands.enumerated() where results[place].isPlanned {
        let start = ContinuousClock.now
        let answer = try await work.reading { try await command.make(in: work, progress) }
        answers.append(answer)
        FreeMemory.giveBack()
        results[place] = RefreshResult(
          step: results[place].step,
          state: "made",
          note: "\(answer.rows) rows; \(results[place].note)",
          summary: try? JSONValue(parsing: Array(answer.json.utf8)),
          duration: ContinuousClock.now - start
        )
      }
      try work.commit(zip(commands, results).filter { $0.1.state == "made" }.map { type(of: $0.0) })
    }
    for answer in answers {
      answer.committed()
      for warning in answer.warnings { Terminal.warn(warning) }
    }
    for answer in answers { try answer.unreadable.throwIfAny() }
    return (results, answers.compactMap(\.signals).last)
  }
}

extension RunTables {
  /// Prints a warning if complete parts are not in their places. They may have been moved away; they may also be lost.
  func warnOfMissingParts() {
    let missing = missing
    guard let path = missing.first?.path else { return }
    let rows = missing.reduce(0) { $0 + $1.rows }
    let parts = missing.count == 1 ? "1 complete part" : "\(missing.count) complete parts"
    Terminal.warn(
      """
      \(parts) of \(rows) rows in all \(missing.count == 1 ? "is" : "are") not in place, such as \(path): the rows do not count. \
      postback state check names all that is missing.
      """
    )
  }
}
