internal import Answers
internal import DurableFiles
internal import JSON
internal import Ledger
internal import LookupTables
internal import PostbackPipeline
internal import SearchAds
internal import SearchAdsReports
internal import Tables

/// The options of the commands that write `asa_attributions`.
struct SearchAdsOptions: OptionGroup {
  private let folder = Option(
    "-o, --out DIR",
    "Write asa_attributions into this folder, an output of run or a new one."
  ).value(.folder)
  private let namesFile = Option(
    "--names FILE",
    "Take names from this CSV or JSON file, with the columns level, id and name."
  ).value(.text)
  private let formats = Option.format.value(.formatsWithJSONLines)
  private let isCSVSafe = Option.csvSafe.isGiven
  private let wantsJSON = Option.json("Print the summary as a JSON object (schemas/asa.schema.json).")

  /// Returns the folder of the table; throws if none is given.
  @discardableResult func output() throws -> String {
    guard let folder else {
      throw CommandFailure(.usage, "No folder for the table is given. Name it with --out.")
    }
    return folder
  }

  /// Loads the names, and prints the remarks on them.
  func loadNames() throws -> SearchAdsNames {
    guard let namesFile else { return SearchAdsNames() }
    let names = try SearchAdsNames(at: namesFile)
    for warning in names.warnings { Terminal.warn(warning.description) }
    return names
  }

  /// Begins the table.
  func beginTable() throws -> SearchAdsOutput {
    let output = try output()
    let table = try SearchAdsOutput(TableEncoding(formats ?? [.jsonLines], isCSVSafe: isCSVSafe), in: output)
    if let damaged = table.journal.damaged {
      Terminal.warn(
        "Lines at the end of the journal were damaged, as a crash leaves them. They are kept in \(damaged)."
      )
    }
    return table
  }

  /// Throws if one of some files cannot have records.
  static func check(_ paths: [String]) throws {
    for path in paths {
      guard try FileStatus(path: path).kind == .regular else {
        throw FileFailure(.notFound, path, "This is not a regular file", advice: "Give the file itself")
      }
      try AttributionFile.check(InputFile.text(at: path, atMost: AttributionFile.headBytes), at: path)
    }
  }

  /// Reads a file of records, which may be compressed.
  static func file(at path: String) throws -> AttributionFile {
    let limit = AttributionFile.mostBytes
    let bytes = try InputFile.text(at: path, atMost: limit + 1)
    guard bytes.count <= limit else {
      throw FileFailure(.incompatible, path, "The file has more than \(limit) bytes of text")
    }
    return AttributionFile(path: path, bytes: bytes)
  }

  /// Completes the table, and prints the summary.
  func complete(_ table: SearchAdsOutput, _ names: SearchAdsNames) throws {
    let summary = try table.complete(names)
    if wantsJSON { return try Terminal.print(summary.json.description) }
    var text = TextTable(numbersIn: [1])
    text.add("rows of \(Table.searchAdsAttributions.name)", "\(summary.rows)")
    text.add("of these new", "\(summary.added)")
    text.add("payloads with an attribution", "\(summary.attributed)")
    text.add("payloads without an attribution", "\(summary.notAttributed)")
    func add(_ title: String, _ count: Int) { if count > 0 { text.add(title, "\(count)") } }
    add("superseded by another payload of the token", summary.superseded)
    add("payloads of tests", summary.tests)
    add("payloads with a flag", summary.flagged)
    for outcome in AttributionOutcome.allCases where outcome != .payload {
      add(outcome.rawValue.replacing("_", with: " "), summary.outcomes[outcome] ?? 0)
    }
    try Terminal.print(text.text())
  }

  /// Prints warnings about malformed records, the first of them one by one.
  static func warn(of malformed: [AttributionRow]) {
    for row in malformed.prefix(20) {
      let place = "\(row.text(.sourceFile) ?? ""): line \(row.integer(.sourceLine) ?? 0)"
      Terminal.warn("\(place): \(row.text(.detail) ?? "") The record is kept as malformed.")
    }
    if malformed.count > 20 { Terminal.warn("\(malformed.count - 20) more records are malformed.") }
  }
}
