internal import Answers
internal import Analysis
internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables
internal import Tampering

/// `postback explain`: prints the fields, the signature, the verdict and the meaning of one postback.
struct ExplainCommand: Command {
  struct Options: OptionGroup {
    let line = Option("--line N", "Explain the postback that starts at line N of the decompressed text.")
      .value(.integer(in: 1...Int(Int32.max)))
    let record = Option("--record K", "Explain the K-th record of those that start at that line, or of all; default 1.")
      .value(.integer(in: 1...Int(Int32.max)))
    let form = FormOptions()
    let models = Option.models()
    let trust = TrustOptions()
    let receivedAt = ReceivedAtOptions()
    let known = Option("--known OUT", "The --out folder of a run over the same traffic. May be repeated.").values(.text)
    let printsJSON = Option.json()
  }

  static let manual = Manual(
    name: "explain",
    summary: "Explain one postback: its fields, the signed text, the verdict and the meaning of its value.",
    usage: "[FILE|-] [--line N] [--record K] [--mapping NAME|FILE] [--models PATH] [--json] …",
    discussion: """
      Reads FILE, or standard input, as run does, and explains its first postback, or the one that starts at line N. Prints
      the exact bytes that Apple signs for such a postback: as text, in which ⁞ stands for U+2063, and as base64. Does not
      look for duplicates. If the signature is invalid, tries some ten thousand common edits until the signature fits, and
      prints what was signed and what was changed. Such a postback stays rejected. With --known, also tries the values of
      accepted postbacks, and for SKAdNetwork compares the signature with theirs; it uses the first 20000 postbacks of each
      framework. The exit status is 0 also if the postback is rejected.
      """,
    options: Options.options,
    example: "postback explain Fixtures/postbacks/skadnetwork-4.0.jsonl --line 2 --models Fixtures/models"
  )

  private let options: Options
  private let path: String
  private let trust: TrustPolicy

  init(_ arguments: Arguments) throws {
    guard arguments.operands.count < 2 else {
      throw CommandFailure(.usage, "Too many files are given. Give one file, or - for standard input.")
    }
    path = arguments.operands.first ?? InputFile.standardInput
    options = try arguments.read()
    try options.form.check()
    trust = try options.trust.trust()
  }

  func run() async throws {
    let (line, record, known) = (options.line, options.record, options.known)
    let models = try Models(loading: options.models)
    TrustOptions.announce(trust)
    guard let batch = try await batch() else {
      throw CommandFailure(
        .noInput,
        record ?? 1 > 1
          ? "\(line.map { "Line \($0) of \(path)" } ?? path) has fewer than \(record ?? 1) records."
          : line.map { "No postback starts at line \($0) of \(path)." } ?? "\(path) holds no postback."
      )
    }
    let tables = try TableFiles(.postbacks, at: known, OutputStates(of: known, among: []))
    guard tables.isOfWholeRuns else {
      throw CommandFailure(.usage, "The option --known needs accepted postbacks. Give the --out folder of a run.")
    }
    let explanation = try await Explanation(
      of: batch,
      trust: trust,
      models: models,
      receivedAt: options.receivedAt.rule
    ) { () throws(PipelineFailure) in
      var scan = SignatureScan()
      let signatures = batch.records.flatMap { scan.values(in: batch.bytes.span.extracting($0.bytes.indices)) }
      return try await DiagnosisContext(of: tables, signatures: signatures, jobs: Option.cores)
    }
    try Terminal.print(options.printsJSON ? "\(explanation.json)" : explanation.text)
  }

  /// Returns a batch of the one record that the arguments name; nil if there is no such record.
  private func batch() async throws -> RawBatch? {
    var inputs = try InputFile.enumerate([path])
    for place in inputs.indices { inputs[place].form = options.form.value }
    var batches = PostbackReader(inputs: inputs).makeAsyncIterator()
    let (line, record) = (options.line, options.record)
    var left = record ?? 1
    while let batch = try await batches.next() {
      for (index, found) in batch.records.enumerated() where line == nil || found.line == line {
        left -= 1
        guard left == 0 else { continue }
        if record == nil, index + 1 < batch.records.count, batch.records[index + 1].line == found.line {
          Terminal.note("Further records start at line \(found.line). --record 2 explains the next one.")
        }
        return batch.only(index)
      }
    }
    return nil
  }
}
