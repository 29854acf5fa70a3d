internal import Base
internal import Dispatch
internal import PostbackVerification
internal import ReportPages
internal import TableReading

/// A case as a download: the file that `postback case` writes, byte for byte.
struct CaseDownload: Sendable {
  /// The forms of a case.
  enum Form: String, CaseIterable, Sendable {
    /// The page.
    case html
    case json
    /// The suspicious transactions.
    case csv

    /// The type of the content.
    var type: String {
      switch self {
      case .html: "text/html"
      case .json: "application/json"
      case .csv: "text/csv"
      }
    }

    /// The name of the file that a browser writes.
    var file: String { self == .csv ? "transactions.csv" : "case.\(rawValue)" }

    /// The path of the download.
    var path: String { self == .html ? CaseDownload.path : "\(CaseDownload.path).\(rawValue)" }
  }

  /// The path of the page of a case; those of the other forms have their name behind it.
  static let path = "/api/case"

  /// The names of the parameters, which are those of the options of `postback case`.
  private static let names: Set<String> = [
    "where", "since", "until", "for_partner", "revenue", "examples", "diagnose_limit", "late_days", "include_fed_back",
  ]

  let form: Form
  private let request: CaseRequest
  private let includesReprocessed: Bool

  /// Reads the parameters of a download. Without `seesRevenue` it is a case for a partner, which has no amounts.
  ///
  /// - Parameters:
  ///   - path: The path, which names the form; nil comes back for the path of something else.
  ///   - parameters: The parameters.
  ///   - seesRevenue: The right to see amounts.
  /// - Throws: A defect if a parameter is wrong, or if a case without amounts is not about a partner.
  init?(_ path: String, _ parameters: ViewParameters, seesRevenue: Bool) throws(ViewDefect) {
    guard let form = Form.allCases.first(where: { $0.path == path }) else { return nil }
    self.form = form
    try parameters.allow(Self.names)
    func time(_ name: String) throws(ViewDefect) -> Timestamp? {
      try parameters.time(name).map { Timestamp(milliseconds: $0) }
    }
    func flag(_ name: String) throws(ViewDefect) -> Bool { try parameters.word(name, of: ["true", "false"]) == "true" }
    let (since, until) = (try time("since"), try time("until"))
    var request: CaseRequest
    do throws(QueryDefect) {
      request = try CaseRequest(parameters.all("where"), since: since, until: until)
    } catch {
      throw ViewDefect("where: \(error)")
    }
    (request.isForPartner, request.wantsRevenue) = (try flag("for_partner") || !seesRevenue, try flag("revenue"))
    guard !request.isForPartner || request.namesPartner else {
      throw ViewDefect(
        "where: A case \(seesRevenue ? "for a partner" : "without revenue") is about a forwarder or an ad network alone. "
          + "Add forwarder=NAME or ad_network_id=ID."
      )
    }
    guard !request.isForPartner || !request.wantsRevenue else {
      throw ViewDefect("revenue: A case for a partner, and a reader without the right to see revenue, get no amounts.")
    }
    guard form == .csv || !request.wantsRevenue else {
      throw ViewDefect("revenue: The parameter is about the transactions of \(Form.csv.path).")
    }
    request.examples = try parameters.integer("examples", in: 0...1000) ?? CaseRequest.usualExamples
    request.diagnosisLimit =
      try parameters.integer("diagnose_limit", in: 0...10_000) ?? CaseRequest.usualDiagnoses
    request.lateDays = try parameters.integer("late_days", in: 0...3650) ?? CaseRequest.usualLateDays
    includesReprocessed = try flag("include_fed_back")
    self.request = request
  }

  /// The threads that make cases, which take minutes for large tables, so that those of all other answers stay free.
  private static let threads = CaseThreads()

  /// Reads the tables of an output, and returns the file; nil if no record meets the conditions. A cancelled task makes no more
  /// diagnoses, which take the most of the time, and throws.
  func file(of output: String, state: String?, trust: TrustPolicy, jobs: Int) async throws -> [UInt8]? {
    let (request, form, includesReprocessed) = (request, form, includesReprocessed)
    return try await withTaskExecutorPreference(Self.threads) {
      let tables = try RunTables(
        at: [output],
        states: state.map { [$0] } ?? [],
        includingReprocessed: includesReprocessed
      )
      guard tables.areOfWholeRuns else { throw ViewDefect("where: A case needs the whole output of a run.") }
      let question = try request.question(about: tables, at: [output], trust: trust, jobs: jobs)
      guard let answer = try await question.answer() else { return [UInt8]?.none }
      try Task.checkCancellation()
      switch form {
      case .html: return try answer.page()
      case .json: return Array("\(answer.json)\n".utf8)
      case .csv: return Array(answer.csv(hasRevenue: request.wantsRevenue).utf8)
      }
    }
  }
}

/// The threads of a queue, on which tasks run.
private final class CaseThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "postback.case", qos: .utility, attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    queue.async { unsafe job.runSynchronously(on: executor) }
  }
}
