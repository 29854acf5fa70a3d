internal import Answers
internal import Base
internal import PostbackServer
internal import TableReading
internal import ConversionModel
internal import CopySettlement
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import Ledger
internal import LookupTables
internal import PostbackPipeline
internal import Reporting
internal import Tables
internal import VendorReports

/// `postback settle`: writes `skan_settled`, the unsigned values that count of all copies of a postback.
struct SettleCommand: DerivedCommand {
  struct Options: OptionGroup {
    let lookups = LookupOptions()
    let models = Option.models(
      "Decode with the models of this file or folder, in place of those that the state keeps. May be\nrepeated."
    )
    let graceHours = Option(
      "--grace-hours N",
      "Let a device's own copy decide if it comes at most N hours after a forwarder's; default 48."
    ).configured { $0.derived.graceHours }.value(.integer(in: 0...10_000))
    let days = DayOptions(
      since:
        "Count only postbacks first received on this day or later in the summary; the tables keep\nall rows.",
      until: "Count only postbacks first received before this day in the summary; the tables keep all\nrows."
    )
    let derived = DerivedOptions.Options()
  }

  static let manual = Manual(
    name: "settle",
    summary: "Write skan_settled: of all copies of a postback, the unsigned values that count, and their revenue.",
    usage: "OUT [--lookups DIR] [--models PATH] [--grace-hours N] [--since DATE] [--until DATE] …",
    discussion: """
      OUT is the --out folder of run or watch. Devices and forwarders send copies of the same postback; the first one is in
      skan_postbacks, and the others are among the rejects. skan_settled has a row for each row of skan_postbacks, in the
      same order: the agreement of all copies in each field that Apple does not sign, and the values that count.
      skan_settled_events has the events that these values decode to. Both tables replace those of an earlier run as a
      whole when they are complete.

      A device's own copy decides if apps.csv gives the app a direct_copies_since, and the copy came after that date and
      within the grace period after the forwarder's. Otherwise the forwarder's first copy decides, because the address for
      devices is public. The models are those that the state of OUT keeps, or those of --models: so a corrected model reaches
      old postbacks, and the summary tells how many rows changed. The state keeps the models of --models for later settlements
      too. A model whose content has changed needs another version. If a model that the tables were made with is in no file
      of --models any more, and neither a later version nor another model for its dates is, nothing changes without --replace.

      --since and --until limit only what the summary counts: the trust levels, the groups and the apps in it. Both tables,
      and the summary's numbers of rows, of copies and of changes, are of all postbacks.
      Exit status: 0; 64 usage, 65 a lookup table or a model is wrong or some lines of the tables are not rows, 66 a folder
      or the state does not exist, 73 a table cannot be created, 74 I/O, 75 another process writes a table, or has removed rows
      meanwhile.
      """,
    options: Options.options,
    example: "postback settle out --lookups lookups"
  )

  let derived: DerivedOptions
  var files = LoadedFiles()
  private let modelPaths: [String]
  private let lookups: LookupOptions
  private let settings: SettlementSettings

  init(_ arguments: Arguments) throws {
    let arguments = try RememberedOptions.complete(arguments, for: Self.manual)
    derived = try DerivedOptions(arguments)
    let options: Options = try arguments.read()
    (modelPaths, lookups) = (options.models, options.lookups)
    try options.days.check()
    var settings = SettlementSettings()
    if let hours = options.graceHours { settings.graceHours = hours }
    (settings.since, settings.until) = (options.days.since, options.days.until)
    self.settings = settings
  }

  static var kinds: [PartCache.Kind] { [.settled, .vendors] }

  func settingsDigest() throws -> String {
    let (models, lookups) = (try models(isQuiet: true), try lookups.load(files, isQuiet: true))
    return "\(lookups.hexadecimalDigest) \(try models.hexadecimalDigest()) \(derived.text)"
  }

  /// Returns the settings of the results for parts, which may be calculated together with those of other tables.
  func preparation() throws -> PartPreparation {
    PartPreparation(try lookups.load(files, isQuiet: true), try models(isQuiet: true), settings, as: derived.encoding)
  }

  func lookedUpFiles() throws -> [LookedUpFile] { try lookups.load(files, isQuiet: true).files }

  /// Throws if a model that the tables before were made with is in no file any more, and no other one is in its place.
  func verifyModels(since before: DerivedManifest) throws {
    guard !derived.isReplacing, !modelPaths.isEmpty, !before.models.isEmpty, Ledger.isThere(derived.state) else {
      return
    }
    let models = try models(isQuiet: true)
    let lost = try models.lacking(Set(before.models), keptIn: derived.state)
    guard !lost.isEmpty else { return }
    let others = lost.count > 10 ? " and \(lost.count - 10) others" : ""
    throw FileFailure(
      .incompatible,
      modelPaths.joined(separator: ", "),
      """
      The derived tables were made with models that are in no file any more: \(lost.prefix(10).joined(separator: ", "))\
      \(others). They stay as they are
      """,
      advice: """
        Bring the files back, or give later versions of the models, or give --replace once if the tables shall be made \
        without them
        """
    )
  }

  func write(in work: DerivedWork, _ progress: ProgressLine) async throws -> DerivedAnswer {
    try verifyModels(since: work.generation.manifest)
    let lookups = try lookups.load(files)
    let models = try models()
    let others = Set(work.generation.manifest.models).subtracting(try models.names()).sorted()
    if !modelPaths.isEmpty, !others.isEmpty {
      Terminal.note(
        """
        --models or the configuration names other models than an earlier settlement: without \(others.joined(separator: ", ")). \
        The values and the revenue of the postbacks that these have decoded change.
        """
      )
    }
    let folder = work.generation.folder
    let settlement = try await Settlement(
      accepted: work.tables.postbacks,
      rejects: work.tables.rejects,
      lookups,
      models,
      settings,
      as: derived.encoding,
      into: (
        try DerivedTable(.settled, derived.encoding, in: folder, replacing: work.replacement),
        try DerivedTable(.settledEvents, derived.encoding, in: folder)
      ),
      jobs: derived.jobs,
      cache: work.cache
    )
    // The daily report of the same refresh reads them from the state.
    keep(models)
    let summary = settlement.summary
    // Limited days leave apps out of the summary.
    let apps = settings.since == nil && settings.until == nil ? Set(summary.groups.map(\.key.appID)) : nil
    work.generation.manifest.models = try models.names(of: apps, begunBy: .now)
    var comparison = VendorComparison.Settings()
    comparison.networkIDs = lookups.networks.idsByName
    let vendors = try await VendorComparison(
      in: derived.output,
      accepted: work.tables.postbacks,
      settled: TableFiles(derived: .settled, in: folder),
      comparison,
      cache: work.cache,
      jobs: derived.jobs
    )
    var unreadable = settlement.unreadable
    if let vendors { unreadable += vendors.unreadable }
    return DerivedAnswer(
      text: SettleAnswer(summary: summary, vendors: vendors?.vendors ?? []).text,
      json: summary.json(with: vendors?.vendors ?? []).description,
      rows: summary.rows.settled,
      unreadable: unreadable
    )
  }

  /// Loads the models of --models, or those that the state keeps.
  private func models(isQuiet: Bool = false) throws -> Models {
    let folder = derived.state
    if !modelPaths.isEmpty {
      let models = try files.value("models \(modelPaths)") { try Models(loading: modelPaths) }
      if Ledger.isThere(folder) { try models.verify(against: folder) }
      return models
    }
    guard Ledger.isThere(folder) else {
      throw FileFailure(
        .notFound,
        folder,
        "There is no state in this directory, which keeps the conversion models",
        advice: "Name the state of the tables with --state, or give the models with --models"
      )
    }
    let names = try Models.namesOfSettlement(in: folder)
    if !names.isEmpty, !isQuiet {
      Terminal.note("The models that an earlier settlement was given are used: \(names.joined(separator: ", ")).")
    }
    return try Models(keptIn: folder)
  }

  /// Keeps the models of --models for later settlements. If the state cannot be written, a warning says so.
  private func keep(_ models: Models) {
    guard !modelPaths.isEmpty, Ledger.isThere(derived.state) else { return }
    do throws(PipelineFailure) {
      try models.keep(in: derived.state)
      Terminal.note("The state keeps these models for later settlements.")
    } catch {
      Terminal.warn("\(error) So the next settlement without --models does not use these models.")
    }
  }
}

extension SettlementSummary {
  /// The summary as a JSON object, with the agreement of vendors' exports.
  fileprivate func json(with vendors: [VendorReport]) -> JSONValue {
    guard case .object(let members) = json else { return json }
    return .object(members + [.init("vendors", .array(vendors.map(\.agreement)))])
  }
}
