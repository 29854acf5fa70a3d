internal import Analysis
internal import Answers
internal import Base
internal import CampaignEnrichment
internal import ConversionModel
internal import CopySettlement
internal import Delivery
internal import DurableFiles
internal import Glibc
internal import JSON
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables
internal import Tampering

/// `postback find`: prints everything about one postback of a run.
struct FindCommand: Command {
  struct Options: OptionGroup {
    let state = Option("--state DIR", "The folder of the state; default _state in OUT.").value(.text)
    let copies = Option("--copies N", "Show at most N copies or rejects of a postback; default 20.")
      .value(.integer(in: 0...100_000), else: 20)
    let wantsDiagnosis = Option(
      "--diagnose",
      "Also search for the edits of rejects whose signature is invalid. Reads all accepted postbacks."
    ).isGiven
    let jobs = Option.jobs("Work on N parts at once; default the number of cores.")
    let keys = KeyOptions()
    let printsJSON = Option.json()
  }

  static let manual = Manual(
    name: "find",
    summary: "Show everything about one postback of a run: its row, its copies, its meaning, campaign and deliveries.",
    usage: "OUT ID|FILE|- [--state DIR] [--copies N] [--diagnose] [--json]",
    discussion: """
      ID is a transaction id or a postback_key; its letter case does not matter. FILE, or - for standard input, has a postback as
      it was received, and its transaction is searched for. Prints the rows of skan_postbacks with the signed fields marked and
      the text that Apple signed, the rejects with the same transaction side by side with them in the order of time, with what
      was changed, the events and the revenue, the rows of skan_enriched and skan_settled, the deliveries to partners, and the
      bytes that are kept: those of rejects, and with --keep-raw those of accepted postbacks.

      An index beside the parts of each table, in OUT/_index, makes a search fast. The first search after new parts makes it,
      which takes about as long as reading them. It may be removed at any time. Without the right to write there, the parts are
      read. All formats of parts are searched, also those that are still written; only a search in compressed ones is slow.
      Exit status: 0; 1 nothing was found; 64 usage, 65 the state is wrong, 66 the tables do not exist, 74 I/O.
      """,
    options: Options.options,
    example: "postback find out 6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  )

  /// The number of rejects that are read at least, so that those that are not shown are counted by postback.
  private static let leastRead = 1000

  private let output: String
  private let id: String
  private let options: Options
  private let trust: TrustPolicy

  init(_ arguments: Arguments) throws {
    guard arguments.operands.count == 2, !arguments.operands[1].isEmpty else {
      throw CommandFailure(.usage, "Give the --out folder of a run, and a transaction id, a postback_key or a file.")
    }
    (output, id) = (arguments.operands[0], arguments.operands[1])
    options = try arguments.read()
    trust = try options.keys.trust()
  }

  func run() async throws {
    let progress = PartProgressLine()
    let (values, pasted) = try await values()
    let answer: FoundAnswer
    do {
      defer { progress.clear() }
      guard try DurableFolder(output).byteCount(of: ".") != nil else {
        throw FileFailure(.notFound, output, "The directory does not exist", advice: "Give the directory of --out")
      }
      let finder = try RowFinder(output, state: options.state, jobs: options.jobs, progress: progress.handler)
      let found = try await finder.postbacks(
        having: values,
        derived: [.settled, .enriched],
        mostRejects: max(options.copies, Self.leastRead)
      )
      let state = options.state ?? StateFolder.path(in: output)
      answer = try await FoundAnswer(
        found,
        of: id,
        pasted: pasted,
        trust: trust,
        mostCopies: options.copies,
        known: options.wantsDiagnosis ? known(found) : nil
      ) { key throws(PipelineFailure) in
        try PipelineFailure.state { () throws(FileFailure) in try Outbox.deliveries(of: key, in: state) }
      }
    }
    for path in answer.missing { Terminal.warn("\(path): The part is gone, so it was not searched.") }
    if options.printsJSON { try Terminal.print(answer.json.description) }
    guard !answer.isEmpty else {
      throw CommandFailure(.different, "No row of \(output) has the key or the transaction \(id.quotedExcerpt).")
    }
    if !options.printsJSON { try Terminal.print(answer.text) }
  }

  /// The values to search for: those of the argument, or those of the postback in the file that it names.
  private func values() async throws -> ([LookupValue], Explanation?) {
    let isFile = unsafe access(id, F_OK) == 0
    guard isFile || id == InputFile.standardInput else {
      return ([LookupValue(.key, id), LookupValue(.transaction, id)], nil)
    }
    var batches = PostbackReader(inputs: try InputFile.enumerate([id])).makeAsyncIterator()
    guard let batch = try await batches.next(), !batch.records.isEmpty else {
      throw CommandFailure(.noInput, "\(id) holds no postback.")
    }
    let explanation = try await Explanation(
      of: batch.only(0),
      trust: trust,
      models: .none,
      receivedAt: ReceivedAtRule(),
      known: nil
    )
    guard let transaction = explanation.transactionID else {
      throw CommandFailure(
        .configuration,
        "The postback in \(id) has no transaction id that can be read. Give the id itself."
      )
    }
    return ([LookupValue(.transaction, transaction)], explanation)
  }

  /// The values of accepted postbacks for the diagnosis of rejects.
  private func known(_ found: FoundPostbacks) -> Explanation.Known {
    { [output, options] () throws(PipelineFailure) in
      let tables = try PipelineFailure.state { () throws(FileFailure) in
        let states = options.state.map { [$0] } ?? []
        return try TableFiles(.postbacks, at: [output], OutputStates(of: [output], among: states))
      }
      var scan = SignatureScan()
      let signatures = found.rejects.compactMap(\.raw).flatMap { scan.values(in: $0.span) }
      return try await DiagnosisContext(of: tables, signatures: signatures, jobs: options.jobs)
    }
  }
}

/// A line on a terminal's standard error with the number of parts that got an index.
final class PartProgressLine: Sendable {
  private let isWatched = Terminal.isWatched

  /// The handler that shows progress; nil if progress is not to be shown.
  var handler: (@Sendable (Int, Int) -> Void)? {
    guard isWatched else { return nil }
    return { done, total in Terminal.overwrite("making the index of \(done) of \(total) parts") }
  }

  /// Erases the line.
  func clear() { if isWatched { Terminal.overwrite("") } }
}
