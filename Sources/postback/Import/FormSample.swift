internal import Answers
internal import ImportedRows
internal import InputForms
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork

/// The first records of a file, read in one form.
struct FormSample {
  let form: InputForm
  private(set) var records = 0
  private(set) var postbacks = 0
  private(set) var signed = 0
  /// The records that are rows without a signature.
  private(set) var rows = 0
  /// The names of the members of the records, in their order, if no mapping is tried.
  private(set) var names: [String] = []
  private var knownNames: Set<String> = []
  private var isCSV = false
  private var first: [(postback: UnverifiedPostback, state: String)] = []

  /// The greatest number of records that are read.
  private static let limit = 200
  private static let shownCount = 3

  /// The name of the form.
  var name: String { form.mapping?.name ?? (isCSV ? "CSV" : "postbacks") }

  init(of path: String, in form: InputForm, trust: TrustPolicy) async throws {
    self.form = form
    let verifier = try PostbackVerifier(trusting: trust)
    var unwrapper = form.mapping.map { Unwrapper($0) }
    var batches = PostbackReader(inputs: try InputFile.enumerate([path], in: form)).makeAsyncIterator()
    while records < Self.limit, let batch = try await batches.next() {
      isCSV = isCSV || batch.origins.contains { $0.input.isCSV }
      let headers = batch.origins.flatMap { Array(repeating: $0.input.csvHeader, count: $0.recordCount) }
      for (record, header) in zip(batch.records, headers).prefix(Self.limit - records) {
        records += 1
        guard record.defect == nil else { continue }
        let bytes = Array(batch.bytes[record.bytes.indices])
        let text = unwrapper == nil ? bytes : unwrapper?.envelope(of: bytes)
        guard let text else { continue }
        add(text, verifier)
        rows += ImportedRow.isRow(text, form.mapping, header) ? 1 : 0
        if form.mapping == nil { addNames(of: text) }
      }
    }
  }

  private mutating func addNames(of text: [UInt8]) {
    guard case .object(let members)? = try? JSONValue(parsing: text) else { return }
    let body = members.first { $0.key == Field.body.name }?.value
    let inner = if case .object(let inner)? = body { inner } else { members }
    for member in inner where knownNames.insert(member.key).inserted { names.append(member.key) }
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
