internal import Base
internal import Delivery
internal import DurableFiles
internal import PostbackPipeline
internal import PostbackService
internal import Tables

/// `postback deliver`: sends accepted postbacks and their events to partners.
struct DeliverCommand: Command {
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
      Exit status: 0; 64 usage, 65 the partners are wrong or the tables lack what they need, 66 no state, 70 libcurl or
      libcrypto failed, 73 cannot create, 74 I/O, 75 another process delivers this output.
      """,
    options: [
      Option("--partners", "FILE", "The partners (schemas/partners.schema.json)."),
      Option("--once", nil, "End when nothing is pending any more, instead of following OUT."),
      Option("--deadline", "TIME", "End at this time at the latest; what is pending then stays pending."),
      Option("--dry-run", nil, "Print the requests as JSON Lines; send nothing and change nothing."),
      Option(
        "--replan",
        nil,
        "Plan again what OUT has since it was restored from a backup; what is known is not sent again."
      ),
    ] + LookupOptions.options + DerivedOptions.options.filter { $0.name != "--jobs" }
      + ServiceOptions.options.filter { !["--config", "--models"].contains($0.name) },
    example: "postback deliver out --partners partners.json"
  )

  private let arguments: Arguments
  private let file: String
  private let output: String
  private let target: String
  private let encoding: TableEncoding
  private let state: String
  private let deadline: Timestamp?
  private let log: Log
  private let metricsFile: ReplacedFile?
  private let lookups: LookupOptions

  init(_ arguments: Arguments) throws(CommandFailure) {
    self.arguments = arguments
    guard let file = arguments.value("--partners"), !file.isEmpty else {
      throw CommandFailure(.usage, "No partners are given. Name their file with --partners.")
    }
    let derived = try DerivedOptions(arguments)
    (self.file, output, target, encoding) = (file, derived.output, derived.target, derived.encoding)
    state = arguments.value("--state") ?? "\(output)/_state"
    deadline = try arguments.time("--deadline")
    log = try ServiceOptions.log(arguments)
    metricsFile = try ServiceOptions.metricsFile(arguments)
    lookups = try LookupOptions(arguments)
  }

  func run() async throws(CommandFailure) {
    let (file, state) = (file, state)
    let partners: Partners
    do throws(PartnersErrors) { partners = try Partners(reading: file) } catch {
      throw CommandFailure(.configuration, lines: error)
    }
    var settings = DeliverySettings(
      output: output,
      state: state,
      partners: partners,
      load: { () throws(PartnersErrors) in try Partners(reading: file) },
      lookups: try lookups.load(),
      encoding: encoding,
      target: target,
      log: log
    )
    settings.metricsFile = metricsFile
    settings.endsWhenDone = arguments.has("--once")
    settings.deadline = deadline
    settings.replans = arguments.has("--replan")
    do {
      if arguments.has("--dry-run") {
        return try await DeliveryService.dryRun(settings) { try Terminal.print($0) }
      }
      let summary = try await DeliveryService(settings).run()
      try Terminal.print(arguments.has("--json") ? summary.json : Self.text(summary))
    } catch {
      throw CommandFailure(of: error)
    }
  }

  private static func text(_ summary: DeliverySummary) -> String {
    let lines = summary.lines.map { line in
      "\(line.partner): \(line.delivered) delivered, \(line.pending) pending, \(line.failed) failed, "
        + "\(line.cancelled) cancelled"
        + (line.correctionsNotSent > 0 ? "; \(line.correctionsNotSent) corrections not sent" : "")
    }
    return lines.isEmpty ? "There are no partners." : lines.joined(separator: "\n")
  }
}
