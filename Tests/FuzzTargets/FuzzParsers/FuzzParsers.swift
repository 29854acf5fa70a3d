import Glibc

/// The function that libFuzzer calls with each input, for the parser that `POSTBACK_FUZZ_PARSER` names.
///
/// All of it happens in memory, or in a small file of `/dev/shm`, so that one process tries tens of thousands of inputs
/// in a second.
@c(LLVMFuzzerTestOneInput)
public func fuzzParsers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe Parser.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// A parser of content that others write.
enum Parser: String, CaseIterable, Sendable {
  case postback
  case envelope
  case forwarded
  case json
  case csv
  case framing
  case reading
  case model
  case rates
  case lookups
  case cost
  case signature
  case diagnosis
  case query
  case head
  case configuration
  case names
  case seen
  case ledger

  static let chosen: Parser = {
    let name = unsafe getenv("POSTBACK_FUZZ_PARSER").map { unsafe String(cString: $0) } ?? ""
    guard let parser = Parser(rawValue: name) else {
      fatalError("POSTBACK_FUZZ_PARSER names none of \(Parser.allCases.map(\.rawValue))")
    }
    return parser
  }()

  func run(_ bytes: [UInt8]) {
    switch self {
    case .postback: unsafe PostbackInput.shared.read(bytes)
    case .envelope: unsafe EnvelopeInput.shared.read(bytes)
    case .forwarded: unsafe EnvelopeInput.shared.readForwarded(bytes)
    case .json: TextInput.json(bytes)
    case .csv: TextInput.csv(bytes)
    case .framing: TextInput.framing(bytes)
    case .reading: FileInput.read(bytes)
    case .model: TableInput.model(bytes)
    case .rates: TableInput.rates(bytes)
    case .lookups: TableInput.lookups(bytes)
    case .cost: TableInput.cost(bytes)
    case .signature: TextInput.signature(bytes)
    case .diagnosis: DiagnosisInput.shared.read(bytes)
    case .query: RequestInput.query(bytes)
    case .head: RequestInput.head(bytes)
    case .configuration: RequestInput.configuration(bytes)
    case .names: StateInput.names(bytes)
    case .seen: StateInput.seen(bytes)
    case .ledger: unsafe LedgerValue.shared.read(bytes)
    }
  }
}

/// Stops the process, so that libFuzzer reports the input, unless a condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
