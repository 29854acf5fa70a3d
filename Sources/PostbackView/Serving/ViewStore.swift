internal import Base
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Ledger
package import PostbackPipeline
package import PostbackVerification
internal import Reporting
internal import Synchronization

/// The data of the live page: what is held in memory of one output, and where the rest is read.
///
/// `follow` looks for new commits and generations, and replaces what is in memory. An answer takes what is there at its beginning,
/// so that it never has numbers of two generations.
package final class ViewStore: Sendable {
  /// The sources of an answer, all of one moment.
  struct Moment: Sendable {
    var rows: CommittedRows?
    /// Indicates that the rows are counted, and their commit is told.
    var areRowsTold = true
    var snapshot: DerivedSnapshot?
    var daily: DailyStore?
    var arrivals = ArrivalCounts()
    var areArrivalsComplete = false
    var sections: SectionsAnswer?
    /// Indicates that the tables were read once.
    var isReady = false
    /// The output that the sources are of, and the number of outputs that were at its path before.
    var place: OutputPlace?
    var placeNumber = 0
    /// Indicates that the output was there, and is not any more.
    var isGone = false

    /// The members that name the moment.
    var members: [JSONValue.Member] {
      [
        .init("generation", .integer(snapshot?.number)),
        .init("commit", .text(rows?.commit)),
      ]
    }
  }

  /// The folder of the tables, as it was given.
  package let output: String
  /// The folder of the state, if it was given.
  let givenState: String?
  let state: String
  let program: String
  let jobs: Int
  let events = ViewEvents()
  private let moment = Mutex(Moment())
  private let keys: Mutex<TrustPolicy>
  private let cache = Mutex<(results: PartCache?, isClosed: Bool)>((nil, false))
  private let report: @Sendable (String) -> Void

  /// Opens an output.
  ///
  /// - Parameters:
  ///   - output: The folder of the tables.
  ///   - state: The folder of its state; nil for the one in the output.
  ///   - trust: The keys with which rejects are verified again.
  ///   - program: The version of the program, whose results of parts are used.
  ///   - jobs: The number of batches that are read at once.
  ///   - mayBeMissing: True if the folder may be made later.
  ///   - report: The function that tells the operator of a failure.
  /// - Throws: A failure if the folder cannot be read, or has no tables.
  package init(
    _ output: String,
    state: String?,
    trust: TrustPolicy,
    program: String,
    jobs: Int,
    mayBeMissing: Bool = false,
    report: @escaping @Sendable (String) -> Void
  ) throws(FileFailure) {
    (self.output, self.program, self.jobs, self.report) = (output, program, jobs, report)
    keys = Mutex(trust)
    givenState = state
    self.state = state ?? StateFolder.path(in: output)
    let isThere = try DurableFolder(output).byteCount(of: ".") != nil
    guard isThere || mayBeMissing else {
      throw FileFailure(.notFound, output, "The directory does not exist", advice: "Give the directory of --out")
    }
    _ = try CommittedRows(in: output, state: self.state)
  }

  /// The keys with which rejects are verified again.
  var trust: TrustPolicy { keys.withLock { $0 } }

  /// Trusts other keys from now on.
  package func use(_ trust: TrustPolicy) { keys.withLock { $0 = trust } }

  /// The words with which a command reads the state of the output, with a space before them; empty for the state in its folder.
  var stateOption: String { givenState.map { " --state \($0.quotedForShell)" } ?? "" }

  /// The present sources of an answer.
  var now: Moment { moment.withLock { $0 } }

  /// Indicates that the output was removed or renamed, so that there is nothing to show.
  var isGone: Bool { moment.withLock { $0.isGone } }

  /// The reason that there is nothing to show.
  static let goneReason = """
    The directory is not there any more: it was removed or renamed. The page shows the tables again as soon as it is back.
    """

  /// Waits until the tables were read once; returns false if that takes long.
  func isReady(within limit: Duration) async -> Bool {
    let deadline = ContinuousClock.now + limit
    while !now.isReady {
      guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  // MARK: - Following

  /// Reads what is there, and then follows the commits until the task is cancelled.
  package func follow() async {
    var counter = makeCounter()
    let sections = Task { await followSections() }
    defer { sections.cancel() }
    var isFirst = true
    var failed: String?
    while !Task.isCancelled {
      do {
        if try lookForOutput() { (counter, isFirst) = (makeCounter(), true) }
        if !isGone {
          try await look(counter, isFirst: isFirst)
          isFirst = false
        }
        failed = nil
      } catch {
        if !Task.isCancelled, failed != "\(error)" { report("\(error)") }
        failed = "\(error)"
      }
      events.answerPatient()
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  /// Reads everything once, for an answer without a server. The sections of the report are left out.
  package func load() async throws(PipelineFailure) { try await look(makeCounter(), isFirst: true) }

  private func makeCounter() -> ArrivalCounter {
    ArrivalCounter { [self] counts, isComplete in
      moment.withLock { ($0.arrivals, $0.areArrivalsComplete) = (counts, isComplete) }
    }
  }

  /// Looks if the output is still the one that is held in memory, and forgets all of it otherwise. Returns true if another one is there
  /// now, which has to be read.
  private func lookForOutput() throws(PipelineFailure) -> Bool {
    let output = output
    let found = try PipelineFailure.state { () throws(FileFailure) in try OutputPlace(output) }
    let (isOther, isGone) = moment.withLock { moment in
      guard found != moment.place else { return (false, false) }
      let isFirst = moment.place == nil && moment.placeNumber == 0
      if isFirst {
        moment.place = found
        return (false, false)
      }
      let number = moment.placeNumber + 1
      moment = Moment()
      (moment.place, moment.placeNumber, moment.isGone) = (found, number, found == nil)
      return (found != nil, found == nil)
    }
    guard isOther || isGone else { return false }
    cache.withLock { $0.results = nil }
    if isGone {
      report("\(output): \(Self.goneReason)")
      events.tell(.commit, .object([.init("commit", .null)]))
    }
    return isOther
  }

  private func look(_ counter: ArrivalCounter, isFirst: Bool) async throws(PipelineFailure) {
    let before = now
    let (output, state) = (output, state)
    let isCommitted = try PipelineFailure.state { () throws(FileFailure) -> Bool in
      if !before.areRowsTold { return true }
      return Ledger.isThere(state) ? try Ledger.lastCommit(state) != before.rows?.witnessed : false
    }
    let found = try PipelineFailure.state { () throws(FileFailure) in
      (
        rows: isCommitted || isFirst ? try CommittedRows(in: output, state: state) : nil,
        snapshot: try DerivedSnapshot(of: output)
      )
    }
    let isOfOtherGeneration = isFirst || found.snapshot.folder != before.snapshot?.folder
    if isOfOtherGeneration {
      let daily = try await DailyStore(found.snapshot, jobs: jobs)
      moment.withLock { ($0.snapshot, $0.daily) = (found.snapshot, daily) }
    }
    if let rows = found.rows { moment.withLock { ($0.rows, $0.areRowsTold, $0.isReady) = (rows, false, true) } }
    if isOfOtherGeneration, !isFirst { tellGeneration(found.snapshot) }
    guard let rows = found.rows else { return }
    // The new rows are counted before the commit is told.
    let horizon = OverviewAnswer.horizon(newest: rows.newest, now: Timestamp.now.milliseconds)
    try await counter.update(rows.postbacks + rows.rejects, after: horizon)
    var members = [JSONValue.Member("commit", .text(rows.commit))]
    if let totals = rows.totals { members.append(.init("totals", .object(totals.members))) }
    moment.withLock { $0.areRowsTold = true }
    events.tell(.commit, .object(members))
    if isFirst, let snapshot = now.snapshot { tellGeneration(snapshot) }
  }

  private func tellGeneration(_ snapshot: DerivedSnapshot) {
    events.tell(.generation, .object([.init("generation", .integer(snapshot.number))]))
  }

  // MARK: - Sections

  /// The shortest time between two makings of the sections for new commits alone, and how many times as long as a making.
  private static let (leastPause, pauseFactor) = (Duration.seconds(30), 20)

  /// Makes the sections again after new generations, and from time to time after commits.
  private func followSections() async {
    var pause = Duration.zero
    var last = ContinuousClock.now - Self.leastPause
    var failed: String?
    while !Task.isCancelled {
      let now = now
      let isOfOtherTables = now.sections == nil || now.sections?.generation != now.snapshot?.number
      let isOfOtherRows = now.sections?.commit != now.rows?.commit
      let isDue = isOfOtherTables && failed == nil || (isOfOtherTables || isOfOtherRows) && .now - last > pause
      if now.areArrivalsComplete, !now.isGone, isDue {
        let start = ContinuousClock.now
        do {
          let made = try await makeSections(now)
          let isOfSameOutput = moment.withLock { moment in
            guard moment.placeNumber == now.placeNumber else { return false }
            moment.sections = made
            return true
          }
          guard isOfSameOutput else { continue }
          FreeMemory.giveBack()
          events.tell(.report, .object([.init("generation", .integer(made.generation))]))
          failed = nil
        } catch {
          // Its folder may have been removed among other temporary files. Results are kept in another one from now on.
          cache.withLock { $0.results = nil }
          if !Task.isCancelled, failed != "\(error)" { report("The sections of the report cannot be made: \(error)") }
          failed = "\(error)"
        }
        last = .now
        pause = max(Self.leastPause, (last - start) * Self.pauseFactor)
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  /// Makes the sections of the report for a moment.
  func makeSections(_ now: Moment) async throws(PipelineFailure) -> SectionsAnswer {
    try await SectionsAnswer(
      output,
      state: givenState,
      commit: now.rows?.commit,
      cache: try partCache(),
      signals: now.sections?.signals,
      jobs: max(jobs / 2, 1)
    )
  }

  /// Makes the sections now, for an answer without a server.
  func loadSections() async throws(PipelineFailure) {
    let made = try await makeSections(now)
    moment.withLock { $0.sections = made }
  }

  /// The results of parts that the output does not have, in a folder of this process.
  private func partCache() throws(PipelineFailure) -> PartCache? {
    try cache.withLock { cache throws(PipelineFailure) in
      if let results = cache.results { return results }
      // The page is made without results that are kept, if the program ends.
      if cache.isClosed { return nil }
      let place = try PipelineFailure.state { () throws(FileFailure) in try TemporaryPlace() }
      let made = try PartCache(temporary: place.path, over: output, program: program, keeper: place)
      cache.results = made
      return made
    }
  }

  /// Removes the folder of this process.
  package func close() {
    events.close()
    let cache = cache.withLock { cache in
      defer { cache = (nil, true) }
      return cache.results
    }
    // A making of sections may still write there.
    for _ in 0..<3 where cache.map({ (try? PartCache.remove($0.path)) == nil }) ?? false {}
  }
}
