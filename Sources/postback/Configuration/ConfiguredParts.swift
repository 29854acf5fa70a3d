internal import Base
internal import ConversionModel
internal import CopySettlement
internal import DailyReports
internal import Delivery
internal import Ledger
internal import LookupTables
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackVerification
internal import Tables

/// The commands as a configuration has them, with the files that it names.
struct ConfiguredParts {
  /// The commands, in the order in which they build on each other.
  static let names = ["serve", "watch", "retain", "view"] + DerivedConfiguration.commands

  private let configuration: ServerConfiguration
  private let models: Result<String, any Error>
  private let lookups: Result<Lookups, any Error>
  private var settings: DerivedConfiguration { configuration.derived }
  private var output: String { configuration.out ?? "" }
  /// The failures of the command that was read last.
  private(set) var failures: [CommandFailure] = []

  /// Loads the models and the lookup tables of a configuration.
  init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    models = Result { try Self.models(of: configuration) }
    lookups = Result { try Self.arguments(EnrichCommand.manual, configuration).read(LookupOptions.self).load() }
  }

  /// Returns the key that a command needs and the configuration does not have; nil if it can do its work.
  func missingKey(of name: String) -> String? {
    let needed: [(key: String, isThere: Bool)]
    switch name {
    case "serve": needed = [("spool", configuration.spool != nil)]
    case "watch": needed = [("spool", configuration.spool != nil), ("out", configuration.out != nil)]
    case "retain": needed = [("retain", configuration.retainedDays != nil)]
    case "view": needed = [("view", configuration.view != nil), ("out", configuration.out != nil)]
    default:
      let key = DerivedConfiguration.key(of: name) ?? name
      needed = [("out", configuration.out != nil), (key, settings.asks(for: name))]
    }
    return needed.first { !$0.isThere }?.key
  }

  /// Reads what a command reads of the configuration and its files, and describes the work of the command; nil if there are
  /// `failures`.
  mutating func summary(of name: String) -> String? {
    failures = []
    let summary =
      switch name {
      case "serve": receiver()
      case "watch": "from \(consumedSpool())/new into \(output), with \(knowledge())"
      case "retain": "after \(configuration.retainedDays ?? 0) days, \(Self.tables(configuration.retainedTables))"
      case "view": livePage()
      case "run": "\(inputs()), with \(knowledge())\(besideConsumer)"
      case "settle": settlement()
      case "enrich": names()
      case "daily": sums()
      case "report": page()
      case "load": database()
      default: partners()
      }
    return failures.isEmpty ? summary : nil
  }

  /// Returns what `load` returns; nil if it throws, which is one of the failures then.
  private mutating func value<Value>(_ load: () throws -> Value) -> Value? {
    do { return try load() } catch {
      failures.append(CommandFailure(of: error))
      return nil
    }
  }

  private mutating func tables() -> Lookups? {
    let lookups = lookups
    return value { try lookups.get() }
  }

  private mutating func knowledge() -> String {
    let models = models
    return value { try models.get() } ?? ""
  }

  /// Checks the options that the configuration sets for a command, as the command does.
  private mutating func check(_ command: any Command.Type) {
    let configuration = configuration
    _ = value { try command.init(Self.arguments(command.manual, configuration)) }
  }

  private static func arguments(
    _ manual: Manual,
    _ configuration: ServerConfiguration
  ) throws -> Arguments {
    ConfigurationOption.complete(try Arguments([], for: manual), of: manual, from: configuration)
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func tables(_ names: [String]?) -> String { names.map { $0.joined(separator: ", ") } ?? "all tables" }
}

// MARK: - The commands before the tables

extension ConfiguredParts {
  private mutating func isFolder(_ path: String) -> Bool {
    value { try InputFile.isFolder(path) } ?? true
  }

  private mutating func spool() -> String {
    let spool = configuration.spool ?? ""
    if !isFolder(spool) { failures.append(CommandFailure(.noInput, "\(spool): The spool is not a directory.")) }
    return spool
  }

  private mutating func consumedSpool() -> String {
    let (spool, folders) = (spool(), [output, configuration.state].compactMap(\.self))
    _ = value { try TablesOptions.verify(folders, outsideOf: spool) }
    for folder in folders where (try? InputFile.isFolder(folder)) == false {
      failures.append(CommandFailure(.configuration, "\(folder): This is no folder. Give another one."))
    }
    return spool
  }

  private mutating func receiver() -> String {
    if settings.currency == nil, let path = configuration.rates {
      _ = value { try CurrencyRates(loading: path) }
    }
    let (spool, events) = (spool(), configuration.events)
    _ = value { try TablesOptions.verify(events: events, outsideOf: spool) }
    return "at \(configuration.listen) into \(spool), from devices and "
      + Self.count(configuration.forwarders.count, "forwarder")
  }

  private mutating func livePage() -> String {
    guard let view = configuration.view else { return "" }
    if view.users.isEmpty {
      failures.append(
        CommandFailure(.configuration, "The object view of the configuration has no users. Add one with a token.")
      )
    }
    let names = view.hosts.isEmpty ? "" : ", as \(view.hosts.joined(separator: ", "))"
    return "\(output) at \(view.listen)\(names), for \(Self.count(view.users.count, "user"))"
  }

  /// Loads the models and the keys, and describes them.
  private static func models(of configuration: ServerConfiguration) throws -> String {
    let models = try Models(loading: configuration.models)
    let trust = try arguments(RunCommand.manual, configuration).read(TrustOptions.self).trust()
    if let output = configuration.out {
      let state = configuration.state ?? StateFolder.path(in: output)
      if Ledger.isThere(state) {
        try models.verify(against: state)
      }
    }
    let added = trust.keys.filter(\.isAdded)
    let keys = added.count { $0.environment == .custom }
    let ofApple = added.count > keys ? ", and \(count(added.count - keys, "further key")) of Apple's" : ""
    return "\(count(models.all.count, "model")) and \(count(keys, "key")) besides Apple's\(ofApple)"
  }

  /// A remark for inputs beside a spool, whose consumer has the state as long as it runs.
  private var besideConsumer: String { configuration.spool == nil ? "" : "; not while watch or serve --watch runs" }

  private mutating func inputs() -> String {
    var folders = 0
    for input in settings.inputs where isFolder(input.path) { folders += 1 }
    check(RunCommand.self)
    return Self.count(settings.inputs.count, "input") + (folders > 0 ? " (\(Self.count(folders, "folder")))" : "")
  }
}

// MARK: - The commands that go on with the tables

extension ConfiguredParts {
  private mutating func settlement() -> String {
    check(SettleCommand.self)
    let apps = Self.count(tables()?.apps.directCount ?? 0, "app")
    return "devices' own copies within \(settings.graceHours ?? 48) hours, for \(apps)"
  }

  private mutating func names() -> String {
    check(EnrichCommand.self)
    guard let tables = tables() else { return "" }
    return Self.count(tables.networks.count, "network") + ", " + Self.count(tables.apps.count, "app") + ", "
      + Self.count(tables.campaignCount, "campaign")
  }

  private mutating func sums() -> String {
    check(DailyCommand.self)
    let (configuration, tables) = (configuration, tables())
    let money = value { try Self.arguments(DailyCommand.manual, configuration).read(MoneyOptions.self) }
    var facts: [String] = []
    if let currency = settings.currency, let path = configuration.rates {
      _ = value { try money?.loadCurrency() }
      let days = try? CurrencyRates(loading: path).days
      facts.append("currency \(currency), rates of \(days.map(Self.text) ?? "no day")")
    }
    let dates = settings.lookupDates.flatMap(LookupDateFormat.init)
    // Without right lookup tables the networks of the costs are not known.
    let costs = tables.flatMap { tables in
      value { try money?.loadCosts(tables, dates) } ?? nil
    }
    if let costs {
      let days = costs.rows.map(\.key.day)
      let span = days.min().flatMap { first in days.max().map { Self.text(first...$0) } }
      facts.append("costs of \(span ?? "no day")")
    }
    facts.append("environment \((settings.environments ?? ["production"]).joined(separator: ", "))")
    let defaults = [DailyDimension.appID, .networkName, .campaignID, .country]
    let dimensions = costs.map { costs in DailyDimension.allCases.filter(costs.dimensions.contains) } ?? defaults
    let names = settings.dimensions ?? dimensions.map(\.column.rawValue)
    return "\(facts.joined(separator: "; ")); by \(names.isEmpty ? "day alone" : names.joined(separator: ", "))"
  }

  private static func text(_ days: ClosedRange<Int64>) -> String {
    [days.lowerBound, days.upperBound].map(Timestamp.name(ofDay:)).joined(separator: " to ")
  }

  private mutating func page() -> String {
    check(ReportCommand.self)
    if let file = settings.report {
      do { try ReportCommand.verifyPlace(file) } catch {
        failures.append(CommandFailure(.configuration, CommandFailure(of: error).message))
      }
    }
    return "the page \(settings.report ?? "")"
  }

  private mutating func database() -> String {
    check(LoadPostgresCommand.self)
    let database = settings.postgres?.connection ?? "the database of \(settings.postgres?.connectionFile ?? "")"
    return "\(Self.tables(settings.postgres?.tables)) into the schema \(settings.postgres?.schema ?? "public") of "
      + database
  }

  private mutating func partners() -> String {
    check(DeliverCommand.self)
    _ = tables()
    let path = settings.partners ?? ""
    guard let partners = value({ try Partners(reading: path).all }) else { return "" }
    return "\(Self.count(partners.count, "partner")): \(partners.map(\.id).joined(separator: ", "))"
  }
}
