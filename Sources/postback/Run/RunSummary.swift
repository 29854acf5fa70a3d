internal import Answers
internal import Analysis
internal import Base
internal import ConversionModel
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

/// The result of a run, which is printed as text or as JSON.
struct RunSummary {
  let tally: Tally
  /// The number of inputs that were skipped because the tables hold them already.
  let known: Int
  /// The number of inputs that were read as CSV.
  let csv: Int
  /// The counts of entries of folders that were not read.
  let leftOut: LeftOutEntries
  let elapsed: Duration
  let tables: [(table: String, rows: Int)]
  /// The paths of the parts that the run wrote.
  let parts: [String]
  /// The settings that differ from those of the earlier rows.
  let changes: [RunSettings.Change]
  /// Warnings that name the options that are likely to be wrong.
  let warnings: [RunWarning]
  /// The counts of rejects that were read instead of inputs; nil if inputs were read.
  let rejects: ReprocessedRejects.Counts?
  /// The way in which signatures were verified.
  let verification: VerificationMethod
  /// Indicates that libcrypto had no usable tables for at least one key, so its signatures were verified one by one.
  let lacksTables: Bool

  private var byCode: [(code: RejectCode, count: Int)] {
    RejectCode.allCases.compactMap { code in tally.rejectedByCode[code].map { (code, $0) } }
  }

  private var byStatus: [(status: DecodeStatus, count: Int)] {
    DecodeStatus.allCases.compactMap { status in tally.acceptedByStatus[status].map { (status, $0) } }
  }

  private var milliseconds: Int64 {
    max(elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000, 1)
  }

  private var postbacksPerSecond: Int64 { Int64(tally.read) * 1000 / milliseconds }

  private var seconds: String { "\(milliseconds / 1000).\((milliseconds % 1000).digits(3))" }

  /// The summary as one JSON object on one line.
  var json: String {
    let codes = byCode.map { "\"\($0.code.rawValue)\":\($0.count)" }.joined(separator: ",")
    let statuses = byStatus.map { "\"\($0.status.rawValue)\":\($0.count)" }.joined(separator: ",")
    let rows = tables.map { "\"\($0.table)\":\($0.rows)" }.joined(separator: ",")
    let changed = JSONValue.array(
      changes.map { change in
        .object([
          .init("kind", .string(change.name.kind.rawValue)), .init("name", .string(change.name.name)),
          .init("change", .string(change.way.rawValue)),
        ])
      }
    )
    let warned = JSONValue.array(
      warnings.map { .object([.init("code", .string($0.code)), .init("message", .string($0.message))]) }
    )
    return """
      {"read":\(tally.read),"accepted":\(tally.accepted),"rejected":\(tally.rejected),"by_code":{\(codes)},\
      "by_decode_status":{\(statuses)},"rows":{\(rows)},\
      "parts":\(JSONValue.texts(parts)),"known_inputs":\(known),"csv_inputs":\(csv),\
      "left_out":{"hidden":\(leftOut.hidden),"unmatched":\(leftOut.unmatched),"others":\(leftOut.others)},\
      "from_rejects":\(rejects?.json ?? .null),"changed_settings":\(changed),"warnings":\(warned),\
      "elapsed_s":\(seconds),"postbacks_per_s":\(postbacksPerSecond),\
      "verification":"\((lacksTables ? .evp : verification).rawValue)"}
      """
  }

  /// Returns the summary as a few lines of text.
  func text(folder: String) -> String {
    var rows: [(String, Int)] = [("read", tally.read), ("accepted", tally.accepted)]
    rows += byStatus.map { ("  \($0.status.rawValue)", $0.count) }
    rows.append(("rejected", tally.rejected))
    rows += byCode.map { ("  \($0.code.rawValue)", $0.count) }
    rows += tables.map { ("\(folder)/\($0.table)", $0.rows) }
    var table = TextTable(numbersIn: [1])
    for (name, count) in rows { table.add(name, "\(count)") }
    let inputs =
      known == 0
      ? [] : ["skipped \(known) \(known == 1 ? "input" : "inputs"), because the tables hold the postbacks already"]
    let forms = csv == 0 ? [] : ["read \(csv) \(csv == 1 ? "input" : "inputs") as CSV"]
    let speed = "\(seconds) s, \(postbacksPerSecond) postbacks/s"
    let slowness = lacksTables ? "; libcrypto has no precomputed tables, so signatures were verified one by one" : ""
    return ([table.text()] + inputs + forms + leftOut.lines + (rejects?.lines ?? []) + [speed + slowness]).joined(
      separator: "\n"
    )
  }
}

extension LeftOutEntries {
  /// The counts as text, one on each line.
  fileprivate var lines: [String] {
    [
      (hidden, "hidden, whose names begin with . or _"), (unmatched, "that --include and --exclude do not take"),
      (others, "others: links to nothing, pipes, folders that were read already, outputs of runs"),
    ].filter { $0.0 > 0 }.map { "left out of folders: \($0.0) \($0.1)" }
  }
}
