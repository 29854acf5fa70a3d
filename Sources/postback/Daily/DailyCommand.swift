internal import Answers
internal import PostbackServer
internal import Base
internal import CampaignEnrichment
internal import CopySettlement
internal import DailyReports
internal import DerivedTables
internal import DurableFiles
internal import FraudSignals
internal import ImportedRows
internal import JSON
internal import Ledger
internal import LookupTables
internal import NullValueModelling
internal import Reporting
internal import SearchAds
internal import SearchAdsReports
internal import TableReading
internal import Tables
internal import VendorReports

/// `postback daily`: writes `skan_daily` and the tables beside it.
struct DailyCommand: DerivedCommand {
  struct Options: OptionGroup {
    let lookups = LookupOptions()
    let dimensions = Option(
      "--dimensions LIST",
      "The columns to group by, joined by commas; default app_id,network_name,campaign_id,country, or those of --cost."
    ).configured { $0.derived.dimensions?.joined(separator: ",") }.value(
      .list(of: DailyDimension.allCases.map(\.column.rawValue))
    )
    let environments = Option("--environment LIST", "Count the postbacks of these environments; default production.")
      .configured { $0.derived.environments?.joined(separator: ",") }.value(
        .list(of: ["production", "development", "custom"])
      )
    let asOf = Option("--as-of TIME", "The time that the report is of; default the latest time of receipt up to today.")
      .value(.time)
    let days = DayOptions(
      since: "Calculate the days from this one on; other days keep the rows of the earlier tables.",
      until: "Calculate the days before this one, and keep the rows of this day and of later ones."
    )
    let modelPeriod = Option(
      "--model-period PERIOD",
      "Model the install dates of a week or a month together, or all (default)."
    ).configured { $0.derived.modelPeriod }.value(ValueKind<ModelPeriod>.word)
    let modelLevel = Option(
      "--model-level LEVEL",
      "The level of the intervals of modelled numbers, 0.5 to 0.999; default 0.95."
    ).configured { $0.derived.modelLevel }.value("a number from 0.5 to 0.999") {
      Double($0).flatMap { (0.5...0.999).contains($0) ? $0 : nil }
    }
    let wantsValues = Option("--histogram", "Also write skan_daily_values, the number of conversions with each value.")
      .configured { $0.derived.wantsHistogram }.isGiven
    let money = MoneyOptions()
    let derived = DerivedOptions.Options()
  }

  static let manual = Manual(
    name: "daily",
    summary: "Write skan_daily: installs, values, revenue and events by day, ad network, campaign and country.",
    usage:
      "OUT [--lookups DIR] [--dimensions LIST] [--environment LIST] [--as-of TIME] [--since DATE] [--until DATE] …",
    discussion: """
      OUT is the --out folder of run or watch. The tables skan_daily, skan_daily_events, skan_daily_changes and
      skan_modelled are written, and with --histogram skan_daily_values. Each replaces the one of an earlier run as a whole
      when it is complete. All committed rows of OUT are read, also while watch goes on.

      Rows are grouped by day, conversion window and the dimensions. Each postback is counted on the day of its receipt
      (date_type received) and on that of its estimated install date (install). Without --lookups the name of a network is
      its id, and only campaigns that forwarders name are known. Rejects, tests that a forwarder marks, and postbacks of
      other environments than production are left out.

      With --cost the rows of install dates have the costs of their campaigns, the cost of an install, and the revenue for
      each unit of cost with its least and greatest value. Costs that fit no row are rows of their own, so that none is lost.
      skan_daily_changes keeps the changes since the first report, each with its reason. docs/daily.md describes all tables.

      skan_modelled has the revenue of each app and campaign with an estimate for postbacks without a conversion value, an
      interval, and bounds. It assumes that values are missing at random within a campaign; docs/modelling.md describes how.
      If OUT has asa_attributions, asa_daily has the installs of Apple Search Ads, which are never added to those of postbacks.
      If OUT has skan_imported, skan_vendor_daily has what vendors count beside what Apple signed, which is never added either.
      Exit status: 0; 64 usage, 65 a lookup table, the cost file or the file of rates is wrong, or some lines of the tables
      are not rows, 66 a folder does not exist, 73 a table cannot be created, 74 I/O, 75 another process writes a table, or has
      removed rows meanwhile.
      """,
    options: Options.options,
    example: "postback daily out --lookups lookups"
  )

  let derived: DerivedOptions
  var files = LoadedFiles()
  private let options: Options
  private let settings: DailySettings
  private var lookups: LookupOptions { options.lookups }
  private var money: MoneyOptions { options.money }

  init(_ arguments: Arguments) throws {
    let arguments = try RememberedOptions.complete(arguments, for: Self.manual)
    derived = try DerivedOptions(arguments)
    options = try arguments.read()
    try options.days.check()
    try options.money.check()
    settings = try DailySettings(options, derived.encoding)
  }

  static var kinds: [PartCache.Kind] { [.daily, .signals, .appleAds, .vendors] }

  func settingsDigest() throws -> String {
    let lookups = try self.lookups.load(files, isQuiet: true)
    let parts = [
      lookups.hexadecimalDigest, try money.loadCurrency(files)?.digest.hexadecimal,
      try money.loadCosts(lookups, self.lookups.dates, files, isQuiet: true)?.digest.hexadecimal, derived.text,
    ]
    var texts = parts.map { $0 ?? "-" }
    for table in [Table.sessionEvents, .searchAdsAttributions, .imported] {
      let folder = DurableFolder("\(derived.output)/\(table.name)")
      for name in try folder.names() { texts.append(try folder.version(of: name)?.description ?? "-") }
    }
    texts += try ModelMeanings.texts(ofRun: derived.output)
    return texts.joined(separator: " ")
  }

  /// Returns the settings of the results for parts, which may be calculated together with those of other tables.
  func countingSettings() throws -> DailySettings {
    countingSettings(
      try money.loadCosts(try self.lookups.load(files, isQuiet: true), self.lookups.dates, files, isQuiet: true)
    )
  }

  private func countingSettings(_ costs: Costs?) -> DailySettings {
    var settings = settings
    if let costs, options.dimensions == nil { settings.dimensions = costs.dimensions }
    return settings
  }

  func lookedUpFiles() throws -> [LookedUpFile] {
    let lookups = try self.lookups.load(files, isQuiet: true)
    guard let costs = try money.loadCosts(lookups, self.lookups.dates, files, isQuiet: true) else {
      return lookups.files
    }
    return lookups.files + [LookedUpFile(name: "costs", path: costs.path, rowCount: costs.rows.count)]
  }

  func write(in work: DerivedWork, _ progress: ProgressLine) async throws -> DerivedAnswer {
    let lookups = try self.lookups.load(files)
    let currency = try money.loadCurrency(files)
    let costs = try money.loadCosts(lookups, self.lookups.dates, files)
    let folder = work.generation.folder
    var settings = countingSettings(costs)
    settings.replacement = work.replacement
    if Ledger.isThere(derived.state) { settings.requests = try Ledger.requests(derived.state) }
    try keepRemovedDays(&settings, in: folder)
    let settled = try DailySettledInputs(in: work.source(of: .settled), progress: progress.handler)
    var inputs = DailyInputs(
      accepted: work.tables.postbacks,
      events: work.tables.events,
      rejects: work.tables.rejects,
      settled: settled
    )
    let models = try ModelMeanings.models(ofRun: derived.output)
    inputs.models = ModelMeanings(models)
    (inputs.costs, inputs.currency) = (costs, currency)
    var tested = SignalInputs(rejects: inputs.rejects, accepted: inputs.accepted)
    (tested.settled, tested.models, tested.since) = (settled?.rows, models, try work.tables.completeSince())
    tested.enriched = try TableFiles(derived: .enriched, in: work.source(of: .enriched))
    let signals = try await KnownSignals(of: tested, jobs: derived.jobs, cache: work.cache)
    // The parties whose values a suspicion is about.
    inputs.suspicions = ValueSuspicions(signals.report.alarms)
    let users = try await BucketWorths(readingEventsIn: derived.output, jobs: derived.jobs)
    inputs.models.learn(from: users, lookups.apps)
    var searchAds = try await SearchAdsDaily(in: derived.output, jobs: derived.jobs)
    try keepRemovedAttributions(&searchAds, in: folder)
    let environments = settings.environments
    try await searchAds?.compare(with: inputs.accepted, of: environments, cache: work.cache, jobs: derived.jobs)
    inputs.searchAds = searchAds
    var comparison = VendorComparison.Settings()
    comparison.environments = settings.environments
    (comparison.end, comparison.firstDay) = (settings.asOf?.milliseconds, settings.firstKeptDay)
    comparison.networkIDs = lookups.networks.idsByName
    let vendors = try await VendorComparison(
      in: derived.output,
      accepted: inputs.accepted,
      settled: settled?.rows,
      comparison,
      cache: work.cache,
      jobs: derived.jobs
    )
    inputs.vendors = vendors
    let outputs = try DailyOutputs(in: folder, settings, wantsValues: options.wantsValues)
    if outputs.beginsValues {
      Terminal.note("\(Table.dailyValues.name) is new, and has only the days that are calculated now.")
    }
    var daily = try await Daily(inputs, lookups, settings, in: folder, jobs: derived.jobs, cache: work.cache)
    if money.isStrict, let errors = daily.missingRates { throw errors }
    try await daily.write(into: outputs, jobs: derived.jobs)
    try inputs.searchAds?.write(settings.encoding, in: folder)
    if let vendors {
      try vendors.write(settings.encoding, in: folder)
    } else {
      try VendorComparison.empty(settings.encoding, in: folder)
    }
    let summary = daily.summary
    var unreadable = daily.unreadable
    if let vendors { unreadable += vendors.unreadable }
    return DerivedAnswer(
      text: DailyAnswer(summary: summary).text,
      json: summary.json.description,
      rows: summary.written.first { $0.table == Table.daily.name }?.rows ?? 0,
      unreadable: unreadable,
      warnings: summary.ownWarnings + summary.changeWarnings,
      dueDay: summary.dueDay,
      signals: signals,
      committed: { register(work.positions) }
    )
  }

  /// Notes in the state up to where rows are counted, so that they are not removed before. Where the state cannot be written, a
  /// warning says so.
  private func register(_ positions: [TableCursor]) {
    guard !positions.isEmpty else { return }
    let name = derived.target == derived.output ? "daily" : "daily \(derived.target)"
    do throws(FileFailure) {
      try Follower(name, .derived, at: positions).write(in: derived.state)
    } catch {
      Terminal.warn("\(error) So postback retain does not wait for rows to be counted.")
    }
  }

  /// Keeps the counts of days whose attributions of Apple Search Ads were removed because of their age, in the same way as those of
  /// postbacks.
  private func keepRemovedAttributions(_ searchAds: inout SearchAdsDaily?, in folder: String) throws(FileFailure) {
    guard Ledger.isThere(derived.state),
      let end = try Ledger.retention(derived.state, ofTable: Table.searchAdsAttributions.name)
    else { return }
    let day = Timestamp(milliseconds: end).daysSince1970
    if try searchAds?.keepDays(before: day, from: folder) == false {
      Terminal.note(
        """
        Attributions from before \(Timestamp(milliseconds: end)) were removed because of their age. There is no \
        \(Table.searchAdsDaily.name) with these days, and they cannot be made again: they are left out.
        """
      )
    } else if let late = searchAds?.late, late > 0 {
      Terminal.warn(
        """
        \(late == 1 ? "1 attribution was" : "\(late) attributions were") received before \(Timestamp.name(ofDay: Int(day))), up to \
        which rows were removed because of their age. \(Table.searchAdsDaily.name) does not count them, as the results of these \
        days stay, and the next postback retain removes them. Import an old archive into another folder with --out.
        """
      )
    }
  }

  /// Keeps the results of days whose rows were removed because of their age. Where there are none, such as in a restored backup, these
  /// days are left out: some of their rows are gone.
  private func keepRemovedDays(_ settings: inout DailySettings, in folder: String) throws {
    guard Ledger.isThere(derived.state) else { return }
    let hasResults = try DurableFolder("\(folder)/\(Table.daily.name)").byteCount(of: ".") != nil
    guard let end = try Ledger.newestRemovedReceipt(derived.state) else { return }
    let first = Timestamp(milliseconds: end).daysSince1970 + 1
    settings.firstKeptDay = first
    guard settings.since ?? .min < first else { return }
    settings.since = first
    let days = "the days before \(Timestamp(milliseconds: first * 86_400_000))"
    let consequence =
      hasResults
      ? "The results of \(days) stay as they are."
      : "There is no \(Table.daily.name) with \(days), and they cannot be made again: they are left out."
    Terminal.note("Rows up to \(Timestamp(milliseconds: end)) were removed because of their age. \(consequence)")
  }
}

extension DailySettings {
  fileprivate init(_ options: DailyCommand.Options, _ encoding: TableEncoding) throws {
    self.init(encoding)
    if let list = options.dimensions { dimensions = Set(list.compactMap(DailyDimension.init)) }
    if let list = options.environments {
      guard !list.isEmpty else {
        throw CommandFailure(.usage, "The value of --environment is empty. Name one, such as production.")
      }
      environments = Set(list)
    }
    asOf = options.asOf
    if let period = options.modelPeriod { modelPeriod = period }
    if let level = options.modelLevel { modelLevel = level }
    (since, until) = (options.days.since, options.days.until)
  }
}
