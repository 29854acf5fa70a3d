internal import HTTPClient
internal import SearchAds
internal import SearchAdsReports
internal import Tables

/// `postback asa import`: writes the payloads of Apple Search Ads as `asa_attributions`.
struct SearchAdsImportCommand: Command {
  static let manual = Manual(
    name: "asa import",
    summary: "Write asa_attributions: installs that Apple Search Ads attributes, from payloads of apps.",
    usage: "FILE… --out OUT [--names FILE] [--format FORMAT] [--json]",
    discussion: """
      FILE has payloads of AdServices, or dictionaries of iAd (version 3.1): JSON Lines, one JSON value, or dictionaries as apps
      print them, plain or compressed with gzip or zstd. A record may be
      {"received_at":…,"token":…,"app_id":…,"payload":{…}}. OUT may be an output of run; postback daily then has a line for
      Apple Search Ads. What is imported is added to earlier imports and exchanges, each token once. The same files again
      change nothing, and a file that has grown adds its new records. Of several payloads of a token the one that was received
      last counts, in any order of files. Without FILE the table is written again, with other names.

      Records that cannot be read are rows with the outcome malformed. docs/apple-search-ads.md describes all columns.
      Exit status: 0; 64 usage, 65 the file of names is wrong, or a file is CSV, UTF-16 or no text, 66 a file does not exist, 70
      libcrypto failed, 73 cannot create, 74 I/O, 75 another process writes the table.
      """,
    options: SearchAdsOptions.options,
    example: "postback asa import payloads.jsonl --out out"
  )

  private let paths: [String]
  private let options: SearchAdsOptions

  init(_ arguments: Arguments) throws {
    (paths, options) = (arguments.operands, try arguments.read())
    try options.output()
  }

  func run() async throws {
    let names = try options.loadNames()
    try SearchAdsOptions.check(paths)
    let table = try options.beginTable()
    var malformed: [AttributionRow] = []
    var earlier: [String: String] = [:]
    var keys: Set<String> = []
    var repeatedCount = 0
    for path in paths {
      let file = try SearchAdsOptions.file(at: path)
      if let other = earlier.updateValue(path, forKey: try file.digest()) {
        Terminal.warn("\(path) has the same content as \(other) and is left out.")
        continue
      }
      let rows = try file.payloads { table.journal.standings[$0] != nil }
      try table.append(rows)
      if table.journal.malformedCount > 0 {
        try table.journal.removeMalformed(file.numberedKeys(rows.count).subtracting(rows.map(\.key)))
      }
      malformed += rows.filter { $0.outcome == .malformed }
      let dated = rows.filter { $0[.tokenSHA256] == nil && $0[.receivedAt] != nil }
      for row in dated where !keys.insert(row.key).inserted { repeatedCount += 1 }
    }
    SearchAdsOptions.warn(of: malformed)
    if repeatedCount > 0 {
      Terminal.warn(
        "\(repeatedCount) records without a token have the time and the payload of a record in another of these files, and "
          + "count once. If they are of other installs, give the tokens, or the times to the millisecond."
      )
    }
    try options.complete(table, names)
  }
}

/// `postback asa exchange`: exchanges tokens of AdServices for payloads at Apple's server.
struct SearchAdsExchangeCommand: Command {
  struct Options: OptionGroup {
    let endpoint = Option("--endpoint URL", "The address of the server, default \(TokenExchange.appleEndpoint).")
      .value("an address that begins with https:// or http://", else: TokenExchange.appleEndpoint) { text in
        let rest = ["https://", "http://"].first(where: text.hasPrefix).map { text.dropFirst($0.count) }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && rest.map { !$0.isEmpty && $0.first != "/" } ?? false ? text : nil
      }
    let concurrency = Option("--concurrency N", "Have N requests at once; default 8.")
      .value(.integer(in: 1...256), else: 8)
    let table = SearchAdsOptions()
  }

  static let manual = Manual(
    name: "asa exchange",
    summary: "Exchange attribution tokens of apps for payloads at Apple's server, and write asa_attributions.",
    usage: "FILE… --out OUT [--endpoint URL] [--concurrency N] [--names FILE] …",
    discussion: """
      FILE has a record {"token":…,"received_at":…,"app_id":…} on each line. A token is valid for 24 hours: one that was received
      before is not sent, and is a row with the outcome token_expired. A token without a record at Apple (404) is tried again
      three times, 5 seconds apart; failures of the server, and answers that are no JSON, three times, after 5, 10 and 20 seconds.
      What has no result then is not_found or unavailable, and the same command asks again for it. It also asks for tokens whose
      malformed record, or whose wrong time of receipt, is corrected, and again where Apple's answer was malformed.

      Each result is durable in OUT before the next group of them, so that after a crash the same command goes on.
      Exit status: 0; 64 usage, 65 the file of names is wrong, or a file is CSV, UTF-16 or no text, 66 a file does not exist, 70
      libcurl or libcrypto failed, 73 cannot create, 74 I/O, 75 another process writes the table.
      """,
    options: Options.options,
    example: "postback asa exchange tokens.jsonl --out out"
  )

  private let paths: [String]
  private let options: Options

  init(_ arguments: Arguments) throws {
    (paths, options) = (arguments.operands, try arguments.read())
    try options.table.output()
    guard !paths.isEmpty else { throw CommandFailure(.usage, "No file is given. Give a file with tokens.") }
  }

  func run() async throws {
    let names = try options.table.loadNames()
    try SearchAdsOptions.check(paths)
    let table = try options.table.beginTable()
    var pending = PendingTokens()
    var malformed: [AttributionRow] = []
    for path in paths {
      let file = try SearchAdsOptions.file(at: path)
      malformed += try file.tokens {
        table.journal.standings[$0] != nil
      } _: {
        pending.add($0, table.journal)
      }
    }
    SearchAdsOptions.warn(of: malformed)
    try table.append(malformed)
    let transport = try CurlTransport()
    let exchange = TokenExchange(
      pending.tokens,
      at: options.endpoint,
      over: transport,
      concurrency: options.concurrency
    )
    try exchange.run { try table.append($0) }
    try options.table.complete(table, names)
  }
}
