internal import Base
internal import Delivery
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import Reporting
internal import SearchAds
internal import Signatures
internal import Spool
internal import Tables

/// `postback forget`: removes what a person's request covers.
struct ForgetCommand: Command {
  static let manual = Manual(
    name: "forget",
    summary: "Remove the postbacks that a person's request covers from the tables and from a spool.",
    usage:
      "--out DIR (--transaction-id ID | --remote-address ADDRESS | --attribution-token TOKEN | …)… [--spool SPOOL] …",
    discussion: """
      Removes the rows of the accepted postbacks of a transaction, their events, their copies and other rejects that name
      it, their rows in skan_enriched and skan_settled, and their deliveries to partners. skan_daily has only sums and stays
      as it is. For an address it removes the records that hold it; with --spool also the rows of the postbacks that
      came from it, as the files in SPOOL/done and SPOOL/failed tell. These files are written anew without the records, as JSON Lines that
      are not compressed. Everything else stays, byte for byte.

      The state keeps the key of a removed postback, a digest, so that a replay is still a duplicate. Parts and files that
      were moved elsewhere, backups and databases are not searched. After an interruption run the same command again. Stop
      the consumer of the state first, and postback deliver.

      Of Apple Search Ads it removes the rows of a token, or those with a key, from asa_attributions and its journal; asa_daily
      has only sums. If nothing else is given, no state is needed. Do not import or exchange the same records again.
      Exit status: 0 also if nothing was found; 64 usage, 65 the state or a part is damaged, 66 there is no state, 74 I/O,
      75 a process uses the state or the spool, or a file that waits in the spool has such a record.
      """,
    options: [
      Option("--out", "DIR", "The folder with the tables.", short: "-o"),
      Option("--transaction-id", "ID", "A transaction-id or postback-identifier. May be repeated."),
      Option("--remote-address", "ADDRESS", "A network address, as it was written. May be repeated."),
      Option("--attribution-token", "TOKEN", "A token of AdServices, as the app got it. May be repeated."),
      Option("--attribution-key", "KEY", "An attribution_key of asa_attributions. May be repeated."),
      Option("--spool", "SPOOL", "Search the files of this spool too."),
      StateOptions.folder,
      Option(
        "--json",
        nil,
        "Print JSON: {\"rows\":{…},\"derived_rows\":{…},\"deliveries\":…,\"spool_records\":…,\"asa_rows\":…,\"missing\":[…]}."
      ),
    ],
    example: "postback forget --out out --spool spool --transaction-id 6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  )

  private let output: String
  private let folder: String
  private let spool: String?
  private let request: RemovalRequest
  private let attributions: AttributionSelection
  private let isOfPostbacks: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    output = try StateOptions.output(arguments, orAdvise: "Name it with --out.")
    folder = try StateOptions.folder(arguments, of: output)
    let (ids, addresses) = (arguments.all("--transaction-id"), arguments.all("--remote-address"))
    let (tokens, keys) = (arguments.all("--attribution-token"), arguments.all("--attribution-key"))
    let all = ids + addresses + tokens + keys
    guard !all.isEmpty, all.allSatisfy({ $0.utf8.count >= 3 }) else {
      throw CommandFailure(
        .usage,
        "Nothing is to be removed. Give --transaction-id, --remote-address, --attribution-token or --attribution-key."
      )
    }
    do throws(LibcryptoFailure) { attributions = try AttributionSelection(tokens: tokens, keys: keys) } catch {
      throw CommandFailure(.software, "\(error)")
    }
    isOfPostbacks = !ids.isEmpty || !addresses.isEmpty
    request = RemovalRequest(transactionIDs: ids, addresses: addresses)
    spool = arguments.value("--spool")
    printsJSON = arguments.has("--json")
  }

  func run() async throws(CommandFailure) {
    do {
      let attributions = try forgetAttributions()
      if isOfPostbacks { return try await forget(and: attributions) }
      try report(nil, [:], 0, nil, attributions)
    } catch {
      throw CommandFailure(of: error)
    }
  }

  /// Removes the attributions of Apple Search Ads. Returns their number.
  private func forgetAttributions() throws -> Int {
    guard !attributions.isEmpty else { return 0 }
    let isCSVSafe = Ledger.isThere(folder) ? try Ledger.reading(folder).settings["csv-safe"] == "yes" : false
    let count = try SearchAdsRemoval.remove(attributions, from: output, isCSVSafe: isCSVSafe)
    for path in try AttributionJournal.damagedFiles(in: output) {
      Terminal.warn("\(path): This file keeps lines that a crash has damaged, and was not searched. Remove it.")
    }
    return count
  }

  /// Removes the rows. The ledger keeps the keys, and the files of the spool go last, so that the command can be repeated
  /// after a crash.
  private func forget(and attributions: Int) async throws {
    let deliveries = try DeliveryRemoval(folder)
    let ledger = try Ledger(existing: StateFolder(existing: folder))
    let parts = try ledger.parts() + ledger.pendingRemovals()
    let tables = try OutputFolder(output, of: ledger, parts)
    try TableRetention.finish(in: output, ledger)
    var request = request
    // Keeps consumers out.
    let lock = try spool.map { try SpoolFolder($0, settle: FileStatus.isDirectory("\($0)/new") ? nil : .seconds(1)) }
    defer { withExtendedLifetime(lock) {} }
    var files: ForgottenSpool?
    if let spool { files = try await ForgottenSpool(spool, &request) }
    try TableRewriting.find(&request, in: output, ledger)
    let rewriting = try TableRewriting(request, in: tables, ledger, now: Timestamp.now.milliseconds)
    let isCSVSafe = try Ledger.reading(folder).settings["csv-safe"] == "yes"
    // With the keys of earlier requests, because a derived table may have been written while the rows were still there.
    let keys = try ledger.forgottenKeys()
    let derived = try DerivedRemoval.remove(keys, from: output, isCSVSafe: isCSVSafe)
    let removedDeliveries = try deliveries.remove(keys)
    try await files?.rewrite(request)
    for path in rewriting.missing { Terminal.warn("\(path): The file is not there, so it was not searched.") }
    if spool == nil { Terminal.note("No spool was searched. Give --spool if its files are kept.") }
    try report(rewriting, derived, removedDeliveries, files, attributions)
  }

  private func report(
    _ rewriting: TableRewriting?,
    _ derived: [String: Int64],
    _ deliveries: Int64,
    _ files: ForgottenSpool?,
    _ attributions: Int
  ) throws(CommandFailure) {
    func members(_ counts: [String: Int64]) -> JSONValue {
      .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
    }
    let summary = JSONValue.object([
      .init("rows", members(rewriting?.rows ?? [:])), .init("derived_rows", members(derived)),
      .init("deliveries", .integer(deliveries)), .init("spool_records", .integer(Int64(files?.records ?? 0))),
      .init("asa_rows", .integer(Int64(attributions))),
      .init("missing", .array((rewriting?.missing ?? []).map { .string($0) })),
    ])
    var counts = (rewriting?.rows ?? [:]).merging(derived) { $1 }.sorted { $0.key < $1.key }
    if !self.attributions.isEmpty { counts.append((Table.searchAdsAttributions.name, Int64(attributions))) }
    let text =
      counts.map { "\($0.value) rows of \($0.key)" }.joined(separator: ", ") + ", \(deliveries) deliveries and "
      + "\(files?.records ?? 0) records of the spool removed"
    try Terminal.print(printsJSON ? summary.description : text)
  }
}

extension FileStatus {
  fileprivate static func isDirectory(_ path: String) -> Bool { (try? FileStatus(path: path))?.kind == .directory }
}
