internal import Base
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import Reporting
internal import SearchAds
internal import Spool
internal import Tables

/// `postback retain`: removes what is older than it is to be kept.
struct RetainCommand: Command {
  static let manual = Manual(
    name: "retain",
    summary: "Remove the parts of the tables, and the files of a spool, that are older than they are to be kept.",
    usage: "--out DIR --older-than AGE [--tables LIST] [--spool SPOOL] [--state DIR] [--json]",
    discussion: """
      Removes each part in which all rows were received more than AGE ago; a part with a later row stays as a whole. The
      ids of the postbacks stay in the state, so a later copy is still a duplicate. The state records what was removed:
      state check stays sound, and daily keeps the results of the days that are gone. With --spool, files in SPOOL/done and
      SPOOL/failed that were put away more than AGE ago are removed too. Of asa_attributions and its journal each row goes that
      was received more than AGE ago; rows without a time stay. Other derived tables stay as they are. An
      interruption at any time removes a part as a whole or not at all. Stop the consumer of the state first, or let
      it do this itself (watch --retain).
      Exit status: 0; 64 usage, 65 the state or a part is damaged, 66 there is no state, 74 I/O, 75 another process uses it.
      """,
    options: [
      Option("--out", "DIR", "The folder with the tables.", short: "-o"),
      RetentionOptions.age,
      RetentionOptions.tablesWithAttributions,
      Option("--spool", "SPOOL", "Remove old files in done and failed of this spool too."),
      StateOptions.folder,
      Option(
        "--json",
        nil,
        "Print JSON: {\"before\":…,\"parts\":…,\"rows\":…,\"bytes\":…,\"spool_files\":…,\"asa_rows\":…,\"missing\":[…]}."
      ),
    ],
    example: "postback retain --out out --older-than 400d"
  )

  private let output: String
  private let folder: String
  private let before: Timestamp
  private let tables: [String]
  private let removesAttributions: Bool
  private let spool: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    output = try StateOptions.output(arguments, orAdvise: "Name it with --out.")
    folder = try StateOptions.folder(arguments, of: output)
    guard let age = try RetentionOptions.age(arguments, RetentionOptions.age) else {
      throw CommandFailure(.usage, "No age is given. Give --older-than, such as 400d.")
    }
    before = Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(age / .milliseconds(1)))
    let names = try RetentionOptions.tables(
      arguments,
      RetentionOptions.tablesWithAttributions,
      and: [.searchAdsAttributions]
    )
    removesAttributions = names.contains(Table.searchAdsAttributions.name)
    tables = names.filter { $0 != Table.searchAdsAttributions.name }
    spool = arguments.value("--spool")
    printsJSON = arguments.has("--json")
  }

  func run() async throws(CommandFailure) {
    var removed: [LedgerPart] = []
    var missing: [String] = []
    var files = 0
    var attributions = 0
    do throws(FileFailure) {
      if removesAttributions { attributions = try removeAttributions() }
      if !tables.isEmpty { try removeParts(&removed, &missing) }
      var isComplete = spool == nil
      while let spool, !isComplete {
        let retention = try SpoolRetention(before: before.milliseconds, in: spool)
        files += retention.count
        isComplete = retention.isComplete
      }
    } catch {
      throw CommandFailure(error)
    }
    try report(removed, missing, files, attributions)
  }

  /// Removes the attributions of Apple Search Ads. Returns their number.
  private func removeAttributions() throws(FileFailure) -> Int {
    let isCSVSafe = Ledger.isThere(folder) ? try Ledger.reading(folder).settings["csv-safe"] == "yes" : false
    return try SearchAdsRemoval.remove(AttributionSelection(before: before), from: output, isCSVSafe: isCSVSafe)
  }

  private func removeParts(_ removed: inout [LedgerPart], _ missing: inout [String]) throws(FileFailure) {
    let ledger = try Ledger(existing: StateFolder(existing: folder))
    let parts = try ledger.parts() + ledger.pendingRemovals()
    let output = try OutputFolder(output, of: ledger, parts)
    var isComplete = false
    while !isComplete {
      let retention = try TableRetention(
        before: before.milliseconds,
        from: tables,
        in: output,
        ledger,
        now: Timestamp.now.milliseconds
      )
      removed += retention.removed
      (isComplete, missing) = (retention.isComplete, retention.missing)
    }
  }

  private func report(
    _ removed: [LedgerPart],
    _ missing: [String],
    _ files: Int,
    _ attributions: Int
  ) throws(CommandFailure) {
    for path in missing {
      Terminal.warn(
        "\(path): The file is not there, so it was not removed from the state. Put it back, then run again."
      )
    }
    let rows = removed.reduce(0) { $0 + $1.rows }
    let bytes = removed.reduce(0) { $0 + $1.length }
    let summary = JSONValue.object([
      .init("before", .string(before.description)), .init("parts", .integer(Int64(removed.count))),
      .init("rows", .integer(rows)), .init("bytes", .integer(bytes)), .init("spool_files", .integer(Int64(files))),
      .init("asa_rows", .integer(Int64(attributions))),
      .init("missing", .array(missing.map { .string($0) })),
    ])
    let text = """
      \(removed.count) parts with \(rows) rows from before \(before) removed (\(bytes) bytes)\
      \(attributions == 0 ? "" : ", \(attributions) rows of \(Table.searchAdsAttributions.name)")\
      \(spool == nil ? "" : ", and \(files) files of the spool")
      """
    try Terminal.print(printsJSON ? summary.description : text)
  }
}

/// The options that say how long rows are kept.
enum RetentionOptions {
  static let age = Option("--older-than", "AGE", "The age from which rows are removed: days, such as 400d.")
  static let tables = Option("--tables", "LIST", "The tables, joined by commas; default all of them.")
  static let tablesWithAttributions = Option(
    "--tables",
    "LIST",
    "The tables, joined by commas; default all of them, and asa_attributions."
  )

  /// Returns the age that an option gives; nil if it is absent.
  static func age(_ arguments: Arguments, _ option: Option) throws(CommandFailure) -> Duration? {
    try arguments.value(option.name, "a number of days from 1 to 36500, such as 400d") { text in
      guard text.hasSuffix("d"), let days = Int(text.dropLast()), (1...36_500).contains(days) else { return nil }
      return .seconds(days * 86_400)
    }
  }

  /// Returns the names of the tables that an option gives; those of all tables if it is absent.
  static func tables(
    _ arguments: Arguments,
    _ option: Option,
    and others: [Table] = []
  ) throws(CommandFailure) -> [String] {
    let all = (Table.all + others).map(\.name)
    return try arguments.value(option.name, "a list of \(all.joined(separator: ", "))") { text in
      let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return names.allSatisfy(all.contains) ? all.filter(names.contains) : nil
    } ?? all
  }
}
