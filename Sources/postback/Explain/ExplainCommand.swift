internal import Analysis
internal import Base
internal import ConversionModel
internal import PostbackPipeline

/// `postback explain`: prints the fields, the signature, the verdict and the meaning of one postback.
struct ExplainCommand: Command {
  static let manual = Manual(
    name: "explain",
    summary: "Show everything about one postback: what it says, what is signed, the verdict, what it means.",
    usage: "[FILE|-] [--line N] [--models PATH] [--json] …",
    discussion: """
      Reads FILE, or standard input, as run does, and explains its first postback, or the one that starts at line N. Shows
      the exact bytes that Apple signed, if the postback is genuine: readably, where ⁞ stands for U+2063, and as base64.
      Duplicates are not looked for. Of a postback whose signature does not fit, the edits that people make are tried, some
      ten thousand, until one fits: then it shows what was signed, and what was changed. Such a postback stays rejected.
      With --known, what accepted postbacks say is tried too, and, of SKAdNetwork, whether the signature is that of one of
      them: of the first 20000 of a framework. Rejected or not, the exit status is 0.
      """,
    options: [
      Option("--line", "N", "The postback that starts at line N of the decompressed text."),
      Option("--models", "PATH", "Conversion models: a file or a folder. May be repeated."),
    ] + TrustOptions.options + ReceivedAtOptions.options + [
      Option("--known", "OUT", "Tables of a run over the same traffic: the folder that --out named. May be repeated."),
      Option("--json", nil, "Print JSON."),
    ],
    example: "postback explain Fixtures/postbacks/skadnetwork-4.0.jsonl --line 2 --models Fixtures/models"
  )

  private let path: String
  private let line: Int?
  private let models: [String]
  private let trust: Trust
  private let receivedAt: ReceivedAtRule
  private let known: [String]
  private let jobs: Int
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.count < 2 else { throw CommandFailure(.usage, "give one file, or - for standard input") }
    path = arguments.operands.first ?? InputFile.standardInput
    line = try arguments.integer("--line", in: 1...Int(Int32.max))
    models = arguments.all("--models")
    trust = try TrustOptions.trust(arguments)
    receivedAt = try ReceivedAtOptions.rule(arguments)
    known = arguments.all("--known")
    jobs = try arguments.jobs()
    printsJSON = arguments.has("--json")
  }

  func run() async throws(CommandFailure) {
    let models = try Models(checking: models)
    TrustOptions.announce(trust)
    guard let batch = try await batch() else {
      throw CommandFailure(.noInput, line.map { "\(path) has no postback at line \($0)" } ?? "\(path) has no postback")
    }
    let tables: TableFiles
    do throws(ReadFailure) {
      tables = try TableFiles(.postbacks, at: known)
    } catch {
      throw CommandFailure(.read(error))
    }
    guard tables.isOfWholeRuns else {
      throw CommandFailure(.usage, "--known needs accepted postbacks; give the folder that --out named")
    }
    let explanation: Explanation
    do throws(PipelineFailure) {
      explanation = try await Explanation(
        of: batch,
        trust: trust,
        models: models,
        receivedAt: receivedAt
      ) { () throws(PipelineFailure) in try await DiagnosisContext(of: tables, jobs: jobs) }
    } catch {
      throw CommandFailure(error)
    }
    try Terminal.print(printsJSON ? explanation.json : explanation.text)
  }

  /// Returns a batch of the one record that the arguments name; nil if there is no such record.
  private func batch() async throws(CommandFailure) -> RawBatch? {
    var batches = PostbackReader(inputs: try InputFile.found(at: [path])).makeAsyncIterator()
    do throws(PipelineFailure) {
      while let batch = try await batches.next() {
        guard let index = batch.records.firstIndex(where: { line == nil || $0.line == line }) else { continue }
        return batch.only(index)
      }
    } catch {
      throw CommandFailure(error)
    }
    return nil
  }
}
