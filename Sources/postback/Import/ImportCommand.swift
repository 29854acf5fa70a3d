internal import Base
internal import DurableFiles
internal import InputForms
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork

/// `postback import`: says in which form the records of a file are.
struct ImportCommand: Command {
  static let manual = Manual(
    name: "import",
    summary: "Say which mapping fits a file of any form, and show three of its postbacks.",
    usage: "FILE --dry-run [--mapping NAME|FILE]",
    discussion: """
      Reads the first 200 records of FILE in each form that run knows: as postbacks, as CSV, and with each mapping
      that postback inputs lists. Counts those that are postbacks, and those with a signature of a trusted key. Prints
      the command that reads the whole file. Writes nothing. The exit status is 1 if no form fits.
      """,
    options: [
      Option("--dry-run", nil, "Read the first records, and write nothing."), MappingChoice.option,
    ] + TrustOptions.keyOptions,
    example: "postback import Fixtures/inputs/branch.csv --dry-run"
  )

  private let path: String
  private let mapping: Mapping?
  private let trust: Trust

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.count == 1, let path = arguments.operands.first else {
      throw CommandFailure(.usage, "Give one file.")
    }
    guard path != InputFile.standardInput else {
      throw CommandFailure(.usage, "Standard input can be read once only, and this command reads a file several times.")
    }
    guard arguments.has("--dry-run") else {
      throw CommandFailure(.usage, "Give --dry-run. To read the postbacks, use postback run with --mapping.")
    }
    self.path = path
    mapping = try MappingChoice.mapping(arguments)
    trust = try TrustOptions.trust(arguments)
  }

  func run() async throws(CommandFailure) {
    let forms = mapping.map { [InputForm($0)] } ?? ([InputForm(.auto)] + Mapping.builtIn.map { InputForm($0) })
    var samples: [FormSample] = []
    for form in forms { samples.append(try await FormSample(of: path, in: form, trust: trust)) }
    var table = TextTable(["form", "records", "postbacks", "signed"], numbersIn: [1, 2, 3])
    let fitting = samples.filter { $0.postbacks > 0 }.sorted { ($0.signed, $0.postbacks) > ($1.signed, $1.postbacks) }
    guard let best = fitting.first else {
      throw CommandFailure(
        .different,
        "None of the first \(samples.map(\.records).max() ?? 0) records of \(path) is a postback in any known form. "
          + "docs/input.md says how a mapping is written."
      )
    }
    for sample in fitting { table.add(sample.name, "\(sample.records)", "\(sample.postbacks)", "\(sample.signed)") }
    let option = best.form.mapping.map { " --mapping \(mapping == nil ? $0.name : "…")" } ?? ""
    let command = "postback run \(path)\(option) --out OUT"
    try Terminal.print(([table.text(), best.shown(), "Read them with: \(command)"]).joined(separator: "\n\n"))
  }
}

/// The first records of a file, read in one form.
private struct FormSample {
  let form: InputForm
  private(set) var records = 0
  private(set) var postbacks = 0
  private(set) var signed = 0
  private var isCSV = false
  private var first: [(postback: UnverifiedPostback, state: String)] = []

  /// The greatest number of records that are read.
  private static let limit = 200
  private static let shownCount = 3

  /// The name of the form.
  var name: String { form.mapping?.name ?? (isCSV ? "CSV" : "postbacks") }

  init(of path: String, in form: InputForm, trust: Trust) async throws(CommandFailure) {
    self.form = form
    let verifier: PostbackVerifier
    do throws(VerificationError) { verifier = try PostbackVerifier(trusting: trust) } catch {
      throw CommandFailure(.software, "\(error)")
    }
    var unwrapper = form.mapping.map { Unwrapper($0) }
    do throws(PipelineFailure) {
      var inputs: [InputFile]
      do throws(FileFailure) { inputs = try InputFile.enumerate([path]) } catch { throw .read(error) }
      for index in inputs.indices { inputs[index].form = form }
      var batches = PostbackReader(inputs: inputs).makeAsyncIterator()
      while records < Self.limit, let batch = try await batches.next() {
        isCSV = isCSV || batch.origins.contains { $0.input.isCSV }
        for record in batch.records.prefix(Self.limit - records) {
          records += 1
          guard record.defect == nil else { continue }
          let bytes = Array(batch.bytes[record.bytes.indices])
          let text = unwrapper == nil ? bytes : unwrapper?.envelope(of: bytes)
          if let text { add(text, verifier) }
        }
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  private mutating func add(_ text: [UInt8], _ verifier: PostbackVerifier) {
    guard let postback = try? UnverifiedPostback(parsing: text), let verification = try? verifier.verify(postback)
    else {
      return
    }
    postbacks += 1
    signed += verification.key == nil ? 0 : 1
    if first.count < Self.shownCount { first.append((postback, verification.state.rawValue)) }
  }

  /// The first postbacks as a table.
  func shown() -> String {
    var table = TextTable(["network", "app", "transaction", "campaign", "value", "signature"])
    for (postback, state) in first {
      let fields = postback.fields
      let value = fields.conversionValue.map { "\($0)" } ?? fields.coarseConversionValue?.rawValue ?? ""
      let campaign = fields.campaignID.map { "\($0)" } ?? fields.sourceIdentifier ?? ""
      table.add(fields.adNetworkID, "\(fields.appID)", fields.transactionID, campaign, value, state)
    }
    return table.text()
  }
}
