internal import Base
internal import Delivery
internal import DerivedTables
internal import DurableFiles
internal import ImportedRows
internal import JSON
internal import Ledger
internal import PostbackLookup
internal import Reporting
internal import SearchAds
internal import SearchAdsReports
internal import Spool
internal import Tables

/// `postback forget`: removes what a person's request covers.
struct ForgetCommand: Command {
  struct Options: OptionGroup {
    let output = StateOptions.output.values(.text)
    let ids = Option("--transaction-id ID", "A transaction-id or postback-identifier. May be repeated.").values(.text)
    let addresses = Option("--remote-address ADDRESS", "A network address, as it was written. May be repeated.")
      .values(.text)
    let tokens = Option("--attribution-token TOKEN", "A token of AdServices, as the app got it. May be repeated.")
      .values(.text)
    let keys = Option("--attribution-key KEY", "An attribution_key of asa_attributions. May be repeated.").values(.text)
    let spool = Option("--spool SPOOL", "Search the files of this spool too.").value(.text)
    let state = StateOptions.state.value(.text)
    let printsJSON = Option.json(
      "Print JSON: {\"rows\":{…},\"masked_rows\":{…},\"derived_rows\":{…},\"deliveries\":…,\"spool_records\":…,"
        + "\"masked_spool_records\":…,\"asa_rows\":…,\"missing\":[…],\"kept\":[…]}."
    )
  }

  static let manual = Manual(
    name: "forget",
    summary: "Remove the postbacks that a person's request covers from the tables and from a spool.",
    usage:
      "--out DIR (--transaction-id ID | --remote-address ADDRESS | --attribution-token TOKEN | …)… [--spool SPOOL] …",
    discussion: """
      Removes the rows of the accepted postbacks of a transaction, their events, their copies and other rejects of it,
      their rows in skan_enriched and skan_settled, those of vendors' exports in skan_imported, and their deliveries to
      partners. skan_daily and skan_vendor_daily have only sums and stay as they are. For an address it removes the rows that were sent from it; with --spool also where only the files in
      SPOOL/done and SPOOL/failed tell. Their records are removed from these files, which keep owner, mode and times.
      A record in which no transaction can be read is removed if it names the id or the address.

      Another's postback is never removed. Where its unsigned text names the id or the address, each letter and digit of that
      becomes an x, and everything else stays, byte for byte. What cannot be masked is listed, for a decision.

      The state keeps digests of a removed postback and its transaction. A replay, also one that the parser refuses, becomes a
      reject without personal data (duplicate_forgotten); to remove it from the spool too, run the command again, with --spool
      alone. Parts and files that were moved elsewhere, backups and databases are not searched. A part that was compressed where it
      is, or another file with the name of a part and a further ending, is an error (65), and nothing is removed.
      So is a file of the spool that is compressed to anything but gzip and zstd.
      After an interruption run the same command again. Stop the consumer of the state first, and postback deliver.

      Of Apple Search Ads it removes the rows of a token, or those with a key, from asa_attributions and its journal; asa_daily
      has only sums. If nothing else is given, no state is needed. Do not import or exchange the same records again.
      Exit status: 0 also if nothing was found, which a warning says; 64 usage, 65 the state or a part is damaged, or a part is compressed, 66
      there is no state, 74 I/O, 75 a process uses the state or the spool, or a file that waits in the spool has such a record.
      """,
    options: Options.options,
    example: "postback forget --out out --spool spool --transaction-id 6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  )

  private let output: String
  private let folder: String
  private let spool: String?
  private let request: RemovalRequest
  private let attributions: AttributionSelection
  private let isOfPostbacks: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    let options: Options = try arguments.read()
    output = try StateOptions.output(arguments, options.output, orAdvise: "Name it with --out.")
    folder = try StateOptions.folder(options.state, of: output)
    let (ids, addresses, tokens, keys) = (options.ids, options.addresses, options.tokens, options.keys)
    let all = ids + addresses + tokens + keys
    spool = options.spool
    guard !all.isEmpty || spool != nil, all.allSatisfy({ $0.utf8.count >= 3 }) else {
      throw CommandFailure(
        .usage,
        "Nothing is to be removed. Give --transaction-id, --remote-address, --attribution-token or --attribution-key, of at "
          + "least three characters, or --spool alone to remove replays."
      )
    }
    attributions = try AttributionSelection(tokens: tokens, keys: keys)
    isOfPostbacks = !ids.isEmpty || !addresses.isEmpty || tokens.isEmpty && keys.isEmpty
    request = RemovalRequest(transactionIDs: ids, addresses: addresses)
    printsJSON = options.printsJSON
  }

  func run() async throws {
    try refuseUnsearched()
    let attributions = try forgetAttributions()
    if isOfPostbacks { return try await forget(and: attributions) }
    try report(nil, [:], 0, nil, attributions)
  }

  /// Throws if a table that the request concerns has rows in a file that is not searched.
  private func refuseUnsearched() throws(FileFailure) {
    var tables: [Table] = attributions.isEmpty ? [] : [.searchAdsAttributions]
    if !request.isEmpty { tables += Table.all + Table.derived + [.partnerDeliveries] }
    try UnsearchedFiles.refuse(in: output, of: tables)
  }

  /// Removes the attributions of Apple Search Ads. Returns their number.
  private func forgetAttributions() throws -> Int {
    guard !attributions.isEmpty else { return 0 }
    let isCSVSafe = Ledger.isThere(folder) ? try Ledger.reading(folder).settings[Ledger.csvSafe] == "yes" : false
    let count = try SearchAdsRemoval.remove(attributions, from: output, isCSVSafe: isCSVSafe)
    for path in try AttributionJournal.damagedFiles(in: output) {
      Terminal.warn("\(path): This file keeps lines that a crash has damaged, and was not searched. Remove it.")
    }
    return count
  }

  /// Removes the rows. The ledger keeps the keys, and the files of the spool go last, so that the command can be repeated
  /// after a crash.
  private func forget(and attributions: Int) async throws {
    // An output of exports alone has no state.
    if spool == nil, !Ledger.isThere(folder),
      let count = try ImportedRemoval.remove(.request(request), from: output, isCSVSafe: false)
    {
      return try report(nil, [Table.imported.name: Int64(count)], 0, nil, attributions)
    }
    let deliveries = try DeliveryRemoval(folder)
    let ledger = try Ledger(existing: StateFolder(existing: folder))
    let parts = try ledger.parts() + ledger.pendingRemovals()
    let folder = try OutputFolder(output, of: ledger, parts)
    try TableRetention.finish(in: output, ledger)
    var request = request
    // Keeps consumers out.
    let lock = try spool.map { try SpoolFolder($0, settle: FileStatus.isDirectory("\($0)/new") ? nil : .seconds(1)) }
    defer { withExtendedLifetime(lock) {} }
    var files: ForgottenSpool?
    if let spool { files = try await ForgottenSpool(spool, &request) }
    try TableRewriting.find(&request, in: output, ledger)
    var known = try ledger.forgottenIDs()
    known.keys.formUnion(request.keys)
    try await files?.find(request, known)
    let rewriting = try TableRewriting(request, in: folder, ledger, now: Timestamp.now.milliseconds)
    let isCSVSafe = try Ledger.reading(self.folder).settings[Ledger.csvSafe] == "yes"
    // With the keys of earlier requests, because a derived table may have been written while the rows were still there.
    let forgotten = try ledger.forgottenIDs()
    let removedDeliveries = try deliveries.remove(forgotten.keys, request)
    let tables = Table.derived + [.partnerDeliveries]
    var derived = try DerivedRemoval.remove(forgotten.keys, request, from: tables, in: output, isCSVSafe: isCSVSafe)
    derived[Table.imported.name] = try ImportedRemoval.remove(.request(request), from: output, isCSVSafe: isCSVSafe)
      .map { Int64($0) }
    try RowFinder.removeIndexes(in: output)
    try await files?.rewrite(request, forgotten)
    for path in rewriting.missing { Terminal.warn("\(path): The file is not there, so it was not searched.") }
    for place in rewriting.kept + (files?.kept ?? []) {
      Terminal.warn(
        "\(place): Another's postback names the id or the address where it cannot be masked. It stays: decide."
      )
    }
    if spool == nil { Terminal.note("No spool was searched. Give --spool if its files are kept.") }
    try report(rewriting, derived, removedDeliveries, files, attributions)
  }

  private func report(
    _ rewriting: TableRewriting?,
    _ derived: [String: Int64],
    _ deliveries: Int64,
    _ files: ForgottenSpool?,
    _ attributions: Int
  ) throws {
    func members(_ counts: [String: Int64]) -> JSONValue {
      .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
    }
    let kept = (rewriting?.kept ?? []) + (files?.kept ?? [])
    let summary = JSONValue.object([
      .init("rows", members(rewriting?.rows ?? [:])), .init("masked_rows", members(rewriting?.masked ?? [:])),
      .init("derived_rows", members(derived)), .init("deliveries", .integer(deliveries)),
      .init("spool_records", .integer(Int64(files?.records ?? 0))),
      .init("masked_spool_records", .integer(Int64(files?.masked ?? 0))),
      .init("asa_rows", .integer(Int64(attributions))),
      .init("missing", .texts(rewriting?.missing ?? [])),
      .init("kept", .texts(kept)),
    ])
    var counts = (rewriting?.rows ?? [:]).merging(derived) { $1 }.sorted { $0.key < $1.key }
    if !self.attributions.isEmpty { counts.append((Table.searchAdsAttributions.name, Int64(attributions))) }
    let masked = (rewriting?.masked ?? [:]).values.reduce(0, +) + Int64(files?.masked ?? 0)
    warnOfNothing(
      attributions,
      ofPostbacks: (rewriting?.rows ?? [:]).merging(derived) { $0 + $1 }.values.reduce(0, +) + deliveries + masked
        + Int64((files?.records ?? 0) + kept.count)
    )
    let text =
      counts.map { "\($0.value) rows of \($0.key)" }.joined(separator: ", ") + ", \(deliveries) deliveries and "
      + "\(files?.records ?? 0) records of the spool removed"
      + (masked > 0 ? "; \(masked) rows and records of others masked" : "")
    try Terminal.print(printsJSON ? summary.description : text)
  }

  /// Warns of a part of the request for which nothing was found.
  private func warnOfNothing(_ attributionCount: Int, ofPostbacks count: Int64) {
    if !attributions.isEmpty, attributionCount == 0 {
      Terminal.warn(
        "No row of \(Table.searchAdsAttributions.name) has the token or the key, so none was removed. Give a token, as the app got "
          + "it, with --attribution-token, and an attribution_key of the table with --attribution-key."
      )
    }
    if !request.isEmpty, count == 0 {
      Terminal.warn(
        "Nothing names the transaction or the address, so nothing was removed. It may have been removed before; else check how it "
          + "is written."
      )
    }
  }
}

extension FileStatus {
  fileprivate static func isDirectory(_ path: String) -> Bool { (try? FileStatus(path: path))?.kind == .directory }
}
