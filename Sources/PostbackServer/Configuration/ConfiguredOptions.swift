extension DerivedConfiguration {
  /// The commands that `options` knows, in the order in which they build on each other.
  package static let commands = ["run", "settle", "enrich", "daily", "report", "load", "deliver"]

  /// The key of a configuration without which it does not ask for a command; nil if there is none.
  package static func key(of command: String) -> String? {
    ["run": "inputs", "enrich": "lookups", "report": "report", "load": "postgres", "deliver": "partners"][command]
  }

  /// Indicates that the configuration asks for a command: that it names what the command cannot do without.
  package func asks(for command: String) -> Bool {
    switch command {
    case "run": !inputs.isEmpty
    case "settle", "daily": true
    case "enrich": lookups != nil
    case "report": report != nil
    case "load": postgres != nil
    case "deliver": partners != nil
    default: false
    }
  }

  /// Returns the options of a command that the configuration sets, each with its values; a flag has none. An option on the
  /// command line takes precedence over the same one here.
  package func options(of command: String) -> [(name: String, values: [String])] {
    let keys: [(name: String, value: OptionValue)] = [
      ("--trust-key", .all(trustedKeys.map(\.option))), ("--apple-key", .all(appleKeys.map(\.option))),
    ]
    let options: [(name: String, value: OptionValue)]
    switch command {
    case "run":
      options =
        [("--models", .all(models))] + keys + [
          ("--max-postback-bytes", .one(postbackBytes)),
          ("--state", .one(state)), ("--include", .all(included)), ("--exclude", .all(excluded)),
          ("--context", .all(context)),
        ]
    case "settle":
      options =
        lookupTables + [("--models", .all(models)), ("--grace-hours", .one(graceHours)), ("--state", .one(state))]
        + tables
    case "enrich": options = lookupTables + tables
    case "daily": options = lookupTables + sums + money + tables
    case "report": options = [("--html", .one(report)), ("--force", .flag(report != nil))] + keys
    case "load": options = database + [("--state", .one(state))]
    case "deliver": options = [("--partners", .one(partners)), ("--state", .one(state))] + lookupTables + tables
    default: options = []
    }
    return options.compactMap { option in option.value.values.map { (option.name, $0) } }
  }

  /// The options that only make sense beside another one: they are left out where the command line has that one.
  package static let companions = ["--force": "--html", "--dsn-file": "--dsn", "--dsn": "--dsn-file"]

  private var lookupTables: [(name: String, value: OptionValue)] {
    [
      ("--lookups", .one(lookups)), ("--date-format", .one(lookupDates)), ("--allow-overlap", .flag(allowsOverlap)),
    ]
  }

  private var sums: [(name: String, value: OptionValue)] {
    [
      ("--dimensions", .one(dimensions?.joined(separator: ","))),
      ("--environment", .one(environments?.joined(separator: ","))), ("--model-period", .one(modelPeriod)),
      ("--model-level", .one(modelLevel)), ("--histogram", .flag(wantsHistogram)), ("--state", .one(state)),
    ]
  }

  /// The rates alone are those of the conversion value API.
  private var money: [(name: String, value: OptionValue)] {
    [
      ("--cost", .one(costs)), ("--allow-credits", .flag(allowsCredits)), ("--currency", .one(currency)),
      ("--rates", .one(currency == nil ? nil : rates)), ("--strict", .flag(isStrict)),
    ]
  }

  private var database: [(name: String, value: OptionValue)] {
    [
      ("--dsn", .one(postgres?.connection)), ("--dsn-file", .one(postgres?.connectionFile)),
      ("--schema", .one(postgres?.schema)), ("--tables", .one(postgres?.tables?.joined(separator: ","))),
      ("--migrate", .flag(postgres?.migrates == true)),
    ]
  }

  private var tables: [(name: String, value: OptionValue)] {
    [
      ("--format", .one(formats.map { $0.count > 1 ? "both" : $0.joined() })), ("--csv-safe", .flag(isCSVSafe)),
    ]
  }
}

/// The value of an option as a configuration has it.
private enum OptionValue {
  case one((any CustomStringConvertible)?)
  case all([String])
  case flag(Bool)

  /// The values on a command line; nil if the option is not set.
  var values: [String]? {
    switch self {
    case .one(let value): value.map { [$0.description] }
    case .all(let values): values.isEmpty ? nil : values
    case .flag(let isSet): isSet ? [] : nil
    }
  }
}
