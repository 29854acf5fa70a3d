internal import Base
internal import ConversionModel
internal import DurableFiles
internal import Ledger
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackVerification
internal import Signatures
internal import TableReading
internal import Tables

/// The options for the trusted keys and for the accepted apps and ad networks.
enum TrustOptions {
  static let options =
    keyOptions + [
      Option("--allow-app", "ID", "Accept only postbacks of this app. May be repeated."),
      Option("--allow-network", "ID", "Accept only postbacks of this ad network. May be repeated."),
    ]

  /// The options for the trusted keys alone.
  static let keyOptions = [
    Option(
      "--trust-key",
      "KID=BASE64",
      "Trust another key, named KID: P-256 or P-192, as DER SubjectPublicKeyInfo. Its rows have the\nenvironment custom. May be repeated."
    ),
    Option(
      "--apple-key",
      "KID=BASE64,ENVIRONMENT[,TIME]",
      "Trust another key as one of Apple's, of production or development, for postbacks received from\nTIME on. Only for a key that Apple publishes. May be repeated."
    ),
    Option(
      "--allow-development",
      nil,
      "Accept postbacks signed with Apple's development keys, of SKAdNetwork from version 2.1."
    ),
    Option(
      "--verification",
      "METHOD",
      "fixed-base (default) uses precomputed multiples of the keys if libcrypto allows it; evp uses only\nlibcrypto's ECDSA, as FIPS 140 requires. The verdicts are the same."
    ),
  ]

  /// Returns a trust store of Apple's keys.
  static func apple() throws(CommandFailure) -> Trust {
    do { return try Trust.apple() } catch { throw CommandFailure(.software, "\(error)") }
  }

  /// Returns a trust store of Apple's keys, extended by `keys`, and extended and restricted by the options.
  static func trust(_ arguments: Arguments, adding keys: [ConfiguredKey] = []) throws(CommandFailure) -> Trust {
    var trust = try apple()
    do {
      for key in keys { try key.add(to: &trust) }
      for option in arguments.all("--apple-key") {
        guard let key = ConfiguredKey(appleKey: option) else {
          throw CommandFailure(
            .usage,
            "The value of --apple-key is \(option). It must be KID=BASE64,production or KID=BASE64,development,TIME."
          )
        }
        try key.add(to: &trust)
      }
      for option in arguments.all("--trust-key") {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
          throw CommandFailure(.usage, "The value of --trust-key is \(option). It must be KID=BASE64.")
        }
        try trust.add(String(parts[0]), base64: String(parts[1]))
      }
      let method = try arguments.value("--verification", "fixed-base or evp") { VerificationMethod(rawValue: $0) }
      if let method { trust.verification = method }
      trust.allowsDevelopment = arguments.has("--allow-development")
      let networks = arguments.all("--allow-network")
      if !networks.isEmpty { trust.allowedNetworks = Set(networks) }
      for app in arguments.all("--allow-app") {
        guard let id = Int64(app) else {
          throw CommandFailure(.usage, "The value of --allow-app is \(app). It must be an App Store id.")
        }
        trust.allowedApps = (trust.allowedApps ?? []).union([id])
      }
      return trust
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      let isOfLibcrypto = (error as? TrustError)?.isOfLibcrypto == true
      throw CommandFailure(isOfLibcrypto ? .software : .configuration, "\(error)")
    }
  }

  /// Prints the keys trusted besides Apple's production keys, so that users know of them before they read the tables.
  static func announce(_ trust: Trust) {
    for key in trust.keys where key.isAdded {
      let isCustom = key.environment == .custom
      Terminal.note(
        isCustom
          ? "The custom \(key.key.curve.name) key \(key.id) is trusted."
          : "The \(key.key.curve.name) key \(key.settingName) is trusted as one of Apple's."
      )
    }
    if trust.allowsDevelopment { Terminal.note("Apple's development keys are trusted.") }
  }
}

/// The options for the folders of tables and state, and for the format of tables.
enum TablesOptions {
  static let options = [
    Option("--out", "DIR", "Write the tables to this folder.", short: "-o"),
    Option("--state", "DIR", "The folder of the state; default _state in the folder of --out."),
    Option("--format", "FORMAT", "jsonl, csv or both; default the format of the existing tables, or jsonl."),
    Option("--csv-safe", nil, "Put an apostrophe before CSV texts that a spreadsheet would take for a formula."),
    Option(
      "--keep-raw",
      nil,
      "Keep the bytes of accepted postbacks too, in the column raw_body; partners may be sent them. Stays on."
    ),
    Option(
      "--partition",
      "received_day",
      "Put the parts of each table into a folder for each day of receipt (UTC), such as\nreceived_day=2026-11-22; default the folders of the existing tables, or none."
    ),
    Option(
      "--keep-addresses",
      nil,
      "Write network addresses of senders, user agents and the like to the tables. They are left out by default."
    ),
    Option("--part-bytes", "N", "Complete a part when it has N bytes; default 268435456."),
    Option(
      "--commit-ms",
      "N",
      "Commit when a record has waited for N milliseconds; default 1000, in watch and serve 500."
    ),
  ]

  static func tables(
    _ arguments: Arguments,
    configured: ServerConfiguration = ServerConfiguration()
  ) throws(CommandFailure) -> TableOptions {
    guard let folder = arguments.value("--out") ?? configured.out, !folder.isEmpty else {
      throw CommandFailure(.usage, "No folder for the tables is given. Name it with --out.")
    }
    try verifyPlace(folder)
    let formats = try formats(arguments)
    var tables = TableOptions(
      folder: folder,
      formats: formats ?? [.jsonLines],
      isCSVSafe: arguments.has("--csv-safe")
    )
    tables.choosesFormats = formats != nil
    tables.keepsRawBodies = arguments.has("--keep-raw")
    tables.partitioning = try arguments.value("--partition", "received_day") { Partitioning(rawValue: $0) }
    // If the ledger cannot be read, opening it later reports the reason.
    if let kept = try? Ledger.reading(state(arguments, tables, configured: configured)) {
      tables.complete(from: kept.settings)
    }
    tables.keepsAddresses = arguments.has("--keep-addresses")
    if let bytes = try arguments.integer("--part-bytes", in: 1...(1 << 40)) { tables.partBytes = Int64(bytes) }
    if let wait = try arguments.integer("--commit-ms", in: 0...3_600_000) {
      tables.commitInterval = .milliseconds(wait)
    }
    return tables
  }

  /// Returns the formats of `--format`; nil if it is absent.
  static func formats(_ arguments: Arguments) throws(CommandFailure) -> Set<TableFormat>? {
    try arguments.value("--format", "jsonl, csv or both") { text -> Set<TableFormat>? in
      text == "both" ? Set(TableFormat.allCases) : TableFormat(rawValue: text).map { [$0] }
    }
  }

  /// Returns the path of the state's folder: `--state`, or that of the configuration, or `_state` in the folder of the
  /// tables.
  static func state(
    _ arguments: Arguments,
    _ tables: TableOptions,
    configured: ServerConfiguration = ServerConfiguration()
  ) -> String {
    arguments.value("--state") ?? configured.state ?? "\(tables.folder)/_state"
  }
}

/// The options for the times at which postbacks were received.
enum ReceivedAtOptions {
  static let options = [
    Option(
      "--received-at",
      "TIME",
      "The time at which postbacks without an envelope were received: RFC 3339, or a date."
    ),
    Option(
      "--received-at-field",
      "NAME",
      "A key of the postback that holds this time: RFC 3339 or Unix time. Without either option, the\nmodification time of the input file is used."
    ),
  ]

  static func rule(_ arguments: Arguments) throws(CommandFailure) -> ReceivedAtRule {
    let time = try arguments.time("--received-at")
    let field = try arguments.value("--received-at-field", "the name of a key") { name in
      name.isEmpty || name.utf8.contains { $0 < 0x20 } ? nil : name
    }
    return ReceivedAtRule(time: time, field: field)
  }
}

extension InputFile {
  /// Returns the input files at these paths; throws a failure that names a missing one.
  static func found(at paths: [String]) throws(CommandFailure) -> [InputFile] {
    do throws(FileFailure) { return try enumerate(paths) } catch { throw CommandFailure(error) }
  }
}

extension CommandFailure {
  /// Creates the failure of a pipeline, with its exit status.
  init(_ failure: PipelineFailure) {
    switch failure {
    case .read(let file), .state(let file), .spool(let file): self.init(file)
    case .libcrypto: self.init(.software, "\(failure)")
    }
  }

  /// Creates the failure of a command that can fail in several ways, with the exit status of its kind.
  init(of error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let failure as FileFailure: self.init(failure)
    case let failure as PipelineFailure: self.init(failure)
    case let defect as QueryDefect: self.init(.usage, "\(defect)")
    default: self.init(.software, "\(error)")
    }
  }

  /// Creates the failure of a file operation, with its exit status.
  init(_ failure: FileFailure) { self.init(ExitStatus(failure.kind), "\(failure)") }
}

extension ExitStatus {
  /// The exit status for a file or folder that cannot be used.
  init(_ kind: FileFailure.Kind) {
    self =
      switch kind {
      case .notFound: .noInput
      case .locked: .locked
      case .damaged, .incompatible: .configuration
      case .cannotCreate: .cannotCreate
      case .diskFull, .exhausted, .io: .inputOutput
      }
  }
}
