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

/// The options for the trusted keys.
struct KeyOptions: OptionGroup {
  let keys = Option(
    "--trust-key KID=BASE64",
    "Trust another key, named KID: P-256 or P-192, as DER SubjectPublicKeyInfo. Its rows have the\nenvironment custom. May be repeated."
  ).configured { $0.trustedKeys.map(\.option) }.values("KID=BASE64") { ConfiguredKey(trustedKey: $0) }
  let appleKeys = Option(
    "--apple-key KID=BASE64,ENVIRONMENT[,TIME]",
    "Trust another key as one of Apple's, of production or development, for postbacks received from\nTIME on. Only for a key that Apple publishes. May be repeated."
  ).configured { $0.appleKeys.map(\.option) }
    .values("KID=BASE64,production or KID=BASE64,development,TIME") { ConfiguredKey(appleKey: $0) }
  let allowsDevelopment = Option(
    "--allow-development",
    "Accept postbacks signed with Apple's development keys, of SKAdNetwork from version 2.1."
  ).isGiven
  let method = Option(
    "--verification METHOD",
    "fixed-base (default) uses precomputed multiples of the keys if libcrypto allows it; evp uses only\nlibcrypto's ECDSA, as FIPS 140 requires. The verdicts are the same."
  ).value(ValueKind<VerificationMethod>.word)

  /// Returns a trust store of Apple's keys, extended by `configured` and by the options.
  func trust(adding configured: [ConfiguredKey] = []) throws(CommandFailure) -> Trust {
    do throws(TrustError) {
      var trust = try Trust.apple()
      for key in configured + appleKeys + keys { try key.add(to: &trust) }
      if let method { trust.verification = method }
      trust.allowsDevelopment = allowsDevelopment
      return trust
    } catch {
      throw CommandFailure(error.isOfLibcrypto ? .software : .configuration, "\(error)")
    }
  }
}

/// The options for the trusted keys and for the accepted apps and ad networks.
struct TrustOptions: OptionGroup {
  let keys = KeyOptions()
  let apps = Option("--allow-app ID", "Accept only postbacks of this app. May be repeated.").values(.appID)
  let networks = Option("--allow-network ID", "Accept only postbacks of this ad network. May be repeated.")
    .values(.text)

  /// Returns a trust store of Apple's keys, extended by `configured`, and extended and restricted by the options.
  func trust(adding configured: [ConfiguredKey] = []) throws(CommandFailure) -> Trust {
    var trust = try keys.trust(adding: configured)
    if !networks.isEmpty { trust.allowedNetworks = Set(networks) }
    if !apps.isEmpty { trust.allowedApps = Set(apps) }
    return trust
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
struct TablesOptions: OptionGroup {
  let output = Option("-o, --out DIR", "Write the tables to this folder.").configured { $0.out }.value(.text)
  let state = Option("--state DIR", "The folder of the state; default _state in the folder of --out.")
    .configured { $0.state }.value(.text)
  let formats = Option("--format FORMAT", "jsonl, csv or both; default the format of the existing tables, or jsonl.")
    .value(.formats)
  let isCSVSafe = Option.csvSafe.isGiven
  let keepsRawBodies = Option.keepRaw.isGiven
  let partitioning = Option(
    "--partition received_day",
    "Put the parts of each table into a folder for each day of receipt (UTC), such as\nreceived_day=2026-11-22; default the folders of the existing tables, or none."
  ).value(ValueKind<Partitioning>.word)
  let keepsAddresses = Option.keepAddresses.isGiven
  let partBytes = Option("--part-bytes N", "Complete a part when it has N bytes; default 268435456.")
    .value(.integer(in: 1...(1 << 40)))
  let commitMilliseconds = Option(
    "--commit-ms N",
    "Commit when a record has waited for N milliseconds; default 1000, in watch and serve 500."
  ).value(.integer(in: 0...3_600_000))

  func tables(configured: ServerConfiguration = ServerConfiguration()) throws(CommandFailure) -> TableOptions {
    guard let folder = output ?? configured.out, !folder.isEmpty else {
      throw CommandFailure(.usage, "No folder for the tables is given. Name it with --out.")
    }
    try Self.verifyPlace(folder)
    var tables = TableOptions(folder: folder, formats: formats ?? [.jsonLines], isCSVSafe: isCSVSafe)
    tables.choosesFormats = formats != nil
    tables.keepsRawBodies = keepsRawBodies
    tables.partitioning = partitioning
    // If the ledger cannot be read, opening it later reports the reason.
    if let kept = try? Ledger.reading(stateFolder(of: tables, configured: configured)) {
      tables.complete(from: kept.settings)
    }
    tables.keepsAddresses = keepsAddresses
    if let partBytes { tables.partBytes = Int64(partBytes) }
    if let commitMilliseconds { tables.commitInterval = .milliseconds(commitMilliseconds) }
    return tables
  }

  /// Returns the path of the state's folder: `--state`, or that of the configuration, or `_state` in the folder of the
  /// tables.
  func stateFolder(of tables: TableOptions, configured: ServerConfiguration = ServerConfiguration()) -> String {
    state ?? configured.state ?? "\(tables.folder)/_state"
  }
}

extension Option {
  static let format = Option("--format FORMAT", "jsonl (default), csv or both.")
  static let csvSafe = Option(
    "--csv-safe",
    "Put an apostrophe before CSV texts that a spreadsheet would take for a formula."
  )
  static let keepRaw = Option(
    "--keep-raw",
    "Keep the bytes of accepted postbacks too, in the column raw_body; partners may be sent them. Stays on."
  )
  static let keepAddresses = Option(
    "--keep-addresses",
    "Write network addresses of senders, user agents and the like to the tables. They are left out by default."
  )

  /// The value of `--max-postback-bytes`; nil if it is absent.
  static func postbackBytes(_ help: String = "Reject larger records as too_large; default 65536.") -> Int? {
    Option("--max-postback-bytes N", help)
      .configured { Optional($0.postbackBytes) }.value(.integer(in: 1024...(64 << 20)))
  }

  /// The values of `--models`.
  static func models(_ help: String = "A file or folder of conversion models. May be repeated.") -> [String] {
    Option("--models PATH", help).configured { $0.models }.values(.text)
  }
}

extension ValueKind<Set<TableFormat>> {
  /// The formats of tables.
  static var formats: Self {
    Self("jsonl, csv or both") { text in
      text == "both" ? Set(TableFormat.allCases) : TableFormat(rawValue: text).map { [$0] }
    }
  }
}

/// The options for the times at which postbacks were received.
struct ReceivedAtOptions: OptionGroup {
  private let time = Option(
    "--received-at TIME",
    "The time at which postbacks without an envelope were received: RFC 3339, or a date."
  ).value(.time)
  private let field = Option(
    "--received-at-field NAME",
    "A key of the postback that holds this time: RFC 3339 or Unix time. Without either option, the\nmodification time of the input file is used."
  ).value("the name of a key") { $0.isEmpty || $0.utf8.contains { $0 < 0x20 } ? nil : $0 }

  var rule: ReceivedAtRule { ReceivedAtRule(time: time, field: field) }
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
