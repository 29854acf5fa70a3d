internal import Ledger
internal import PostbackServer
internal import Delivery
internal import DurableFiles

/// `postback deliver`: sends accepted postbacks and their events to partners.
struct DeliverCommand: Command {
  struct Options: OptionGroup {
    let partners = Option("--partners FILE", "The partners (schemas/partners.schema.json).")
      .configured { $0.derived.partners }.value(.text)
    let endsWhenDone = Option("--once", "End when nothing is pending any more, instead of following OUT.").isGiven
    let deadline = Option("--deadline TIME", "End at this time at the latest; what is pending then stays pending.")
      .value(.time)
    let isDry = Option("--dry-run", "Print the requests as JSON Lines; send nothing and change nothing.").isGiven
    let replans = Option(
      "--replan",
      "Plan again after a restore from a backup, or with corrected filters; what was sent is not sent again."
    ).isGiven
    let lookups = LookupOptions()
    let derived = DerivedOptions.Target()
    let log = LogOptions()
    let metricsFile = Option.metricsFile.value(.replacedFile)
  }

  static let manual = Manual(
    name: "deliver",
    summary: "Send accepted postbacks and their events to partners: with templates, filters, retries and signatures.",
    usage: "OUT --partners FILE [--once] [--deadline TIME] [--dry-run] [--lookups DIR] [--metrics-file FILE] …",
    discussion: """
      OUT is the --out folder of run, watch or serve, which may go on writing. Each postback that is committed there is sent to
      the partners of FILE (schemas/partners.schema.json) whose network it is. What is to be sent is kept in the state, so
      nothing is lost in a crash; requests may then be repeated, with the same delivery id. A failed request is
      tried again later without holding back others. partner_deliveries in OUT has the result of every delivery; it is
      written at the end, and every five minutes.

      It goes on until it is stopped; with --once it ends when nothing is pending any more. SIGTERM and SIGINT let the
      requests in progress finish. On SIGHUP the partners are read again: all of the file, or nothing if it is wrong.
      Exit status: 0; 64 usage, 65 the partners are wrong, the tables lack what they need, or OUT was restored from a
      backup and --replan is to be given once, 66 no state, 70 libcurl or libcrypto failed, 73 cannot create, 74 I/O, 75
      another process delivers this output.
      """,
    options: Options.options,
    example: "postback deliver out --partners partners.json"
  )

  private let options: Options
  private let file: String
  private let output: String
  private let target: String

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    guard let file = options.partners, !file.isEmpty else {
      throw CommandFailure(.usage, "No partners are given. Name their file with --partners.")
    }
    self.file = file
    (output, target) = try DerivedOptions.folders(arguments)
    try TablesOptions.verifyPlace(target)
  }

  func run() async throws {
    let file = file
    let partners = try Partners(reading: file)
    var settings = DeliverySettings(
      output: output,
      state: options.derived.state ?? StateFolder.path(in: output),
      partners: partners,
      load: { () throws(PartnersErrors) in try Partners(reading: file) },
      lookups: try options.lookups.load(),
      encoding: options.derived.encoding,
      target: target,
      log: options.log.log
    )
    settings.metricsFile = options.metricsFile
    settings.endsWhenDone = options.endsWhenDone
    settings.deadline = options.deadline
    settings.replans = options.replans
    if options.isDry { return try await printRequests(settings) }
    if target != output { _ = try DurableFolder(making: target) }
    let summary = try await DeliveryService(settings).run()
    try Terminal.print(options.derived.wantsJSON ? summary.json : Self.text(summary))
  }

  private func printRequests(_ settings: DeliverySettings) async throws {
    let requests = try await DryRun(settings)
    while let lines = try requests.next() {
      for line in lines { try Terminal.print(line) }
    }
  }

  private static func text(_ summary: DeliverySummary) -> String {
    let lines = summary.lines.map { line in
      let filters = line.leftOut.map { "\($0.count) by \($0.filter.rawValue)" }.joined(separator: ", ")
      return "\(line.partner): \(line.delivered) delivered, \(line.pending) pending, \(line.failed) failed, "
        + "\(line.cancelled) cancelled"
        + (line.correctionsNotSent > 0 ? "; \(line.correctionsNotSent) corrections not sent" : "")
        + (filters.isEmpty ? "" : "; postbacks left out: \(filters)")
    }
    return lines.isEmpty ? "There are no partners." : lines.joined(separator: "\n")
  }
}
