internal import Analysis
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import PostbackPipeline
internal import ReportPages
internal import Reporting
internal import Synchronization
internal import TableReading

/// The sections of the report's page, as they are at one commit and one generation.
struct SectionsAnswer: Sendable {
  let generation: Int?
  let commit: String?
  /// The counts by day, sender, app and outcome.
  let cube: ReportCube
  /// The markup of the findings, which may name amounts.
  let findings: String
  /// The tests of signals, for the next time.
  let signals: KnownSignals
  /// The conditions of a case about the party of each alarm, in the order of the alarms; nil where a case cannot be offered.
  let casesOfAlarms: [String?]
  /// The members of the answer as JSON, without the braces around them, by the right to see amounts.
  private let texts: [Bool: String]
  private let bodies = SharedBodies()

  /// Makes the sections of an output. What the output has counted for parts is used, and nothing is written there.
  init(
    _ output: String,
    state: String?,
    commit: String?,
    cache: PartCache?,
    signals: KnownSignals?,
    jobs: Int
  ) async throws(PipelineFailure) {
    var sources = try PipelineFailure.state { () throws(FileFailure) in
      try ReportSources(paths: [output], tables: try RunTables(at: [output], states: state.map { [$0] } ?? []))
    }
    sources.cache = cache
    (sources.signals, sources.sampleLimit, sources.jobs) = (signals, Self.sampleLimit, jobs)
    // Results of rows that were removed, or replaced by a later commit, go with the next making.
    cache?.forgetUses()
    let (content, tests) = try await sources.content()
    let page = ReportPage(content)
    self.signals = tests
    self.commit = commit
    generation = sources.snapshots.first?.number
    cube = content.report.cube
    findings = page.findingsMarkup
    casesOfAlarms = page.conditionsOfAlarms
    texts = Dictionary(
      uniqueKeysWithValues: [true, false].map { seesRevenue in
        (seesRevenue, String(JSONValue.object(page.parts(seesRevenue: seesRevenue)).description.dropFirst().dropLast()))
      }
    )
    try PipelineFailure.state { () throws(FileFailure) in try cache?.removeOthers(of: PartCache.Kind.allCases) }
  }

  /// The number of rejects that are part of the answer, as in the page of `report`.
  private static let sampleLimit = 2000

  /// Returns the answer as JSON.
  ///
  /// - Parameters:
  ///   - seesRevenue: The right to see amounts.
  ///   - isCurrent: Indicates that there are no newer rows or tables.
  ///   - cases: The offers of cases about the parties of the alarms.
  /// - Returns: The text in UTF-8.
  func json(seesRevenue: Bool, isCurrent: Bool, cases: [JSONValue]) -> [UInt8] {
    let head: [JSONValue.Member] = [
      .init("generation", .integer(generation)),
      .init("commit", .text(commit)),
      .init("is_current", .bool(isCurrent)), .init("cases", .array(cases)),
    ]
    let start = "\(JSONValue.object(head).description.dropLast()),"
    return bodies.body(seesRevenue, start) { Array("\(start)\(texts[seesRevenue] ?? "")}\n".utf8) }
  }
}

/// The last answers, whose bytes all who ask share.
private final class SharedBodies: Sendable {
  private let last = Mutex<[Bool: (start: String, body: [UInt8])]>([:])

  /// Returns the answer with a right that begins with a text, and makes it if the last one began with another.
  func body(_ seesRevenue: Bool, _ start: String, _ make: () -> [UInt8]) -> [UInt8] {
    last.withLock { last in
      if let made = last[seesRevenue], made.start == start { return made.body }
      let body = make()
      last[seesRevenue] = (start, body)
      return body
    }
  }
}
