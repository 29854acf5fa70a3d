internal import Answers
internal import Ledger
internal import SKAdNetwork
internal import Tables
internal import Base
internal import JSON
internal import PostbackService

/// `postback status`: shows the current activity and the totals of a consumer.
struct StatusCommand: Command {
  struct Options: OptionGroup {
    let state = StateOptions.state.value(.text)
    let includesReprocessed = ReprocessedOptions.inclusion.isGiven
    let printsJSON = Option.json()
  }

  static let manual = Manual(
    name: "status",
    summary: "Print the status of a state: its user, its delay, and all counts.",
    usage: "(OUT | --state DIR) [--include-fed-back] [--json]",
    discussion: """
      OUT is the --out folder of run or watch. Reads the state while another process uses it, without delaying that process,
      and creates no file. Counts are of the whole life of the state, up to the last commit. The waiting files, the rates
      and the memory are reported by the consumer about once a second; without a consumer they are unknown. The output of
      --json is described in schemas/status.schema.json.
      Exit status: 0, with or without a consumer; 64 usage, 65 the state is damaged or of another version, 66 there is no
      state, 73 the state cannot be read, 74 I/O, 75 another program has locked the ledger.
      """,
    options: Options.options,
    example: "postback status out"
  )

  private let folder: String
  private let options: Options

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    folder = try StateOptions.folder(arguments, options.state)
  }

  func run() async throws {
    let status = try StateStatus(folder: folder, includesReprocessed: options.includesReprocessed)
    try Terminal.print(options.printsJSON ? status.json.description : status.text)
  }
}

extension StateStatus {
  /// The status as text for people.
  var text: String {
    [facts.text(), counts.text(), partTable.text(indent: 2)].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var facts: TextTable {
    var facts = TextTable()
    facts.add("state", folder)
    facts.add("used by", holder ?? runningConsumer.map { "process \($0.pid), which waits for its disk" } ?? "nobody")
    let age = sinceLastCommit.map { ", \($0.forPeople) ago" } ?? ""
    let last = committedAt.map { ", the last at \($0)\(age)" } ?? ""
    facts.add("commits", "\(ledger.commits)\(last)")
    addConsumer(to: &facts)
    let phases = LedgerInput.Phase.allCases.map { "\(ledger.inputs[$0] ?? 0) \($0.rawValue)" }
    facts.add("inputs", phases.joined(separator: ", "))
    facts.add("seen ids", "\(ledger.seenCount)")
    if let id = ledger.outputID { facts.add("output", id.description) }
    for (kind, digest, names) in settings {
      // The names of policy and format settings are names of options and tell nothing, so they are left out.
      let names = kind == .key || kind == .model ? names : []
      let shown = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", \(names.count - 4) others" : "")
      facts.add(kind.title, [String(digest.prefix(12)), shown].filter { !$0.isEmpty }.joined(separator: "  "))
    }
    return facts
  }

  private func addConsumer(to facts: inout TextTable) {
    guard let consumer = runningConsumer else {
      if let consumer { facts.add("consumer", "not running; the last one wrote its status at \(consumer.updatedAt)") }
      return
    }
    facts.add(
      "consumer",
      "process \(consumer.pid) since \(consumer.startedAt), \(consumer.phase.rawValue), status of \(consumer.updatedAt)"
    )
    if let failure = consumer.failure { facts.add("failure", failure) }
    if let refusal = consumer.refusedRemoval { facts.add("retention", "\(refusal).") }
    if !consumer.fullDisks.isEmpty {
      facts.add("disk full", consumer.fullDisks.map(\.rawValue).joined(separator: ", "))
    }
    let oldest = lag.map { ", the oldest for \($0.forPeople)" } ?? ""
    facts.add("spool", "\(consumer.spool), \(waitingFiles ?? 0) files waiting\(oldest)")
    let rates = [(consumer.recordsPerSecond1m, "1 minute"), (consumer.recordsPerSecond15m, "15 minutes")]
      .compactMap { rate, span in rate.map { "\(($0 * 10).rounded() / 10) records/s over \(span)" } }
    if !rates.isEmpty { facts.add("rate", rates.joined(separator: ", ")) }
    facts.add("memory", "\(consumer.residentBytes / 1_000_000) MB, \(consumer.openDescriptors) open files")
  }

  private var counts: TextTable {
    var counts = TextTable(numbersIn: [1])
    counts.add("read", "\(counted.read)")
    counts.add("accepted", "\(totals.accepted)")
    counts.add("rejected", "\(counted.rejected)")
    for (code, count) in rejected { counts.add("  \(code.rawValue)", "\(count)") }
    if reprocessed > 0 { counts.add("rejects read again", "\(reprocessed)") }
    for table in Table.all { counts.add("rows of \(table.name)", "\(totals.rows(of: table))") }
    return counts
  }

  private var partTable: TextTable {
    var table = TextTable(numbersIn: [3, 4, 5])
    for part in parts {
      table.add(
        part.table,
        part.format.rawValue,
        part.phase.rawValue,
        "\(part.count) \(part.count == 1 ? "part " : "parts")",
        "\(part.rows) rows",
        "\(part.bytes) bytes"
      )
    }
    return table
  }
}

extension RunSettings.Kind {
  /// The title of this kind of settings in the text.
  fileprivate var title: String {
    switch self {
    case .key: "keys"
    case .policy: "policy"
    case .format: "format"
    case .model: "models"
    }
  }
}

extension Duration {
  /// The duration in seconds below two minutes, otherwise as hours, minutes and seconds.
  fileprivate var forPeople: String {
    let whole = components.seconds
    guard whole >= 120 else { return "\((seconds * 10).rounded() / 10) s" }
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }
}
