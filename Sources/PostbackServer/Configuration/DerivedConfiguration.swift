internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork

/// The settings of the commands that go on with the tables of a run: `settle`, `enrich`, `daily`, `report`, `load` and
/// `deliver`, and of the inputs that they wait for.
package struct DerivedConfiguration: Sendable, Equatable {
  /// The inputs of `run`: files, or folders of files.
  package private(set) var inputs: [ConfiguredInput] = []
  /// The patterns of the files that are read of folders; none for all.
  package private(set) var included: [String] = []
  /// The patterns of the files and folders that are left out.
  package private(set) var excluded: [String] = []
  /// The parts of paths that say who sent the postbacks, or when they were received.
  package private(set) var context: [String] = []
  /// The folder of the lookup tables; nil if there is none.
  package private(set) var lookups: String?
  /// The notation of dates in the lookup tables and costs that are not those of ISO 8601; nil for none.
  package private(set) var lookupDates: String?
  /// Indicates that rows of campaigns.csv may contradict each other.
  package private(set) var allowsOverlap = false
  /// The number of hours within which a device's own copy may decide; nil for the default.
  package private(set) var graceHours: Int64?
  /// The columns that daily sums are grouped by; nil for the default.
  package private(set) var dimensions: [String]?
  /// The environments whose postbacks are counted; nil for the default.
  package private(set) var environments: [String]?
  /// The span of install dates that are modelled together; nil for the default.
  package private(set) var modelPeriod: String?
  /// The level of the intervals of modelled numbers; nil for the default.
  package private(set) var modelLevel: Double?
  /// Indicates that the number of conversions with each value is counted too.
  package private(set) var wantsHistogram = false
  /// The file of costs; nil if there is none.
  package private(set) var costs: String?
  /// Indicates that costs may be negative.
  package private(set) var allowsCredits = false
  /// The currency of reports; nil if each amount stays in its own.
  package private(set) var currency: String?
  /// Indicates that a missing rate is an error.
  package private(set) var isStrict = false
  /// The formats of derived tables; nil for the default.
  package private(set) var formats: [String]?
  /// Indicates that CSV texts which a spreadsheet would take for a formula begin with an apostrophe.
  package private(set) var isCSVSafe = false
  /// The file of the page; nil if there is none.
  package private(set) var report: String?
  /// The database that tables are loaded into; nil if there is none.
  package private(set) var postgres: PostgresConfiguration?
  /// The file of the partners that postbacks are delivered to; nil if there is none.
  package private(set) var partners: String?

  /// The configuration of a file without these keys.
  package init() {}

  /// Reads the keys of a configuration file, and notes what is wrong with them.
  init(_ root: JSONNode, _ problems: inout ConfigurationProblems) {
    inputs = problems.list(root["inputs"]).compactMap { ConfiguredInput($0, &problems) }
    included = problems.list(root["include"]).compactMap { problems.pattern($0) }
    excluded = problems.list(root["exclude"]).compactMap { problems.pattern($0) }
    context = problems.list(root["context"]).compactMap { problems.pattern($0) }
    lookups = problems.path(root["lookups"], of: "a folder")
    lookupDates = problems.word(root["lookup_dates"], of: Self.dateFormats)
    allowsOverlap = problems.boolean(root["allow_overlap"]) ?? false
    graceHours = problems.integer(root["grace_hours"], in: 0...10_000)
    if root["dimensions"].value != nil {
      dimensions = problems.list(root["dimensions"]).compactMap { problems.word($0, of: Self.dimensionNames) }
    }
    if let named = problems.words(root["environment"], of: Self.environmentNames) {
      environments = Self.environmentNames.filter(named.contains)
    }
    modelPeriod = problems.word(root["model_period"], of: Self.modelPeriods)
    modelLevel = problems.number(root["model_level"], in: 0.5...0.999)
    wantsHistogram = problems.boolean(root["histogram"]) ?? false
    costs = problems.path(root["costs"], of: "a file")
    allowsCredits = problems.boolean(root["allow_credits"]) ?? false
    currency = problems.text(root["currency"], "an ISO 4217 code of three capital letters such as \"USD\"") {
      $0.isCurrencyCode ? $0 : nil
    }
    isStrict = problems.boolean(root["strict_rates"]) ?? false
    formats = Self.formats(root["format"], &problems)
    isCSVSafe = problems.boolean(root["csv_safe"]) ?? false
    report = problems.path(root["report"], of: "a file")
    // With patterns the page may be left out.
    if let report, included.isEmpty, excluded.isEmpty,
      let folder = inputs.first(where: { report.hasPrefix("\($0.path)/") })
    {
      problems.note(
        root["report"],
        "The page is in \(folder.path), which is one of inputs, and each refresh would read it as postbacks. Write it elsewhere."
      )
    }
    if root["postgres"].value != nil { postgres = PostgresConfiguration(root["postgres"], &problems) }
    partners = problems.path(root["partners"], of: "a file")
    for (key, needed) in [("allow_credits", "costs"), ("currency", "rates"), ("strict_rates", "currency")]
    where root[key].value != nil && root[needed].value == nil {
      problems.note(root[key], "The key \(key) has no effect without \(needed).")
    }
  }

  private static func formats(_ node: JSONNode, _ problems: inout ConfigurationProblems) -> [String]? {
    let formats: [String]?
    if node.elements == nil {
      formats = problems.text(node, "jsonl, or [\"jsonl\", \"csv\"]") { formatNames.contains($0) ? [$0] : nil }
    } else {
      formats = problems.words(node, of: formatNames).map { named in formatNames.filter(named.contains) }
    }
    if formats == ["csv"] {
      problems.note(node, "The other commands read jsonl. Give [\"jsonl\", \"csv\"] to have the tables as CSV too.")
    }
    return formats
  }

  /// The keys of these settings, in the order of the schema.
  static let keys = [
    "inputs", "include", "exclude", "context", "lookups", "lookup_dates", "allow_overlap", "grace_hours", "dimensions",
    "environment", "model_period",
    "model_level", "histogram", "costs", "allow_credits", "currency", "strict_rates", "format", "csv_safe", "report",
    "postgres", "partners",
  ]

  /// The words for `lookup_dates`.
  package static let dateFormats = ["MDY"]
  /// The words for `dimensions`.
  package static let dimensionNames = [
    "app_id", "network_name", "campaign_id", "adgroup_id", "creative_id", "source_app_id", "country", "framework",
    "version", "environment", "channel", "forwarder", "trust_level", "model_id", "model_version", "conversion_type",
    "fidelity_type", "ad_interaction_type", "marketplace_identifier", "source_identifier", "source_domain",
    "redownload",
  ]
  /// The words for `environment`.
  package static let environmentNames = ["production", "development", "custom"]
  /// The words for `model_period`.
  package static let modelPeriods = ["all", "week", "month"]
  /// The words for `format`.
  package static let formatNames = ["jsonl", "csv"]
}

/// An input of `run`: a file or a folder, and who sent the postbacks in it.
package struct ConfiguredInput: Sendable, Equatable {
  /// The path of a file or a folder.
  package let path: String
  /// The name of the forwarder that sent them; nil if it is not known.
  package let forwarder: String?
  /// The word for the channel through which they came; nil if it is not known.
  package let channel: String?

  /// Reads a path, or an object with the path, and notes what is wrong with it; nil if there is no path.
  init?(_ node: JSONNode, _ problems: inout ConfigurationProblems) {
    var (forwarder, channel) = (String?.none, String?.none)
    var place = node
    if node.members != nil {
      guard problems.isObject(node, keys: Self.keys, called: "An input") else { return nil }
      place = node["path"]
      forwarder = problems.text(node["forwarder"], "a name of 1 to 256 bytes without control characters") {
        InputContext.isName($0) ? $0 : nil
      }
      channel = problems.word(node["channel"], of: Self.channels)
      if forwarder != nil, channel == Channel.appleDirect.rawValue {
        problems.note(node, "The channel apple_direct has no forwarder.")
      }
    }
    guard
      let path = problems.text(place, "the path of a file or a folder", isRequired: true, { $0.isEmpty ? nil : $0 })
    else { return nil }
    (self.path, self.forwarder, self.channel) = (path, forwarder, channel)
  }

  /// The keys of the object, in the order of the schema.
  static let keys = ["path", "forwarder", "channel"]

  /// The words for `channel`.
  static let channels = Channel.allCases.map(\.rawValue)
}

/// The database that `load postgres` writes to.
package struct PostgresConfiguration: Sendable, Equatable {
  /// The address of the database; nil if it is in `connectionFile`.
  package let connection: String?
  /// The file that holds the address.
  package let connectionFile: String?
  /// The schema of the tables; nil for the default.
  package let schema: String?
  /// The tables that are loaded; nil for all that are there.
  package let tables: [String]?
  /// Indicates that tables of the database that differ are altered.
  package let migrates: Bool

  /// Reads the object `postgres`, and notes what is wrong with it; nil if there is no address in it.
  init?(_ node: JSONNode, _ problems: inout ConfigurationProblems) {
    guard problems.isObject(node, keys: Self.keys, called: "The object \"postgres\"") else { return nil }
    connection = problems.text(node["connection"], "the address of a database") { $0.isEmpty ? nil : $0 }
    connectionFile = problems.path(node["connection_file"], of: "a file")
    // PostgreSQL cuts longer names without an error.
    schema = problems.text(node["schema"], "a name of 1 to 63 bytes") { name in
      (1...63).contains(name.utf8.count) && !name.utf8.contains(0) ? name : nil
    }
    let names = problems.list(node["tables"]).compactMap { problems.word($0, of: Self.tableNames) }
    tables = node["tables"].value == nil ? nil : names
    if node["tables"].elements?.isEmpty == true {
      problems.note(node["tables"], "The array must have at least one element.")
    }
    migrates = problems.boolean(node["migrate"]) ?? false
    guard (node["connection"].value == nil) != (node["connection_file"].value == nil) else {
      problems.note(node, "The object must have either connection or connection_file.")
      return nil
    }
  }

  /// The keys of the object, in the order of the schema.
  static let keys = ["connection", "connection_file", "schema", "tables", "migrate"]

  /// The words for `tables`.
  package static let tableNames = [
    "skan_postbacks", "skan_events", "skan_rejects", "skan_enriched", "skan_settled", "skan_settled_events",
    "skan_daily", "skan_daily_events", "skan_daily_values", "skan_daily_changes", "skan_modelled", "asa_attributions",
    "asa_daily", "skan_imported", "skan_vendor_daily", "partner_deliveries",
  ]
}

extension ConfigurationProblems {
  /// The path of a file or a folder, which is not empty; nil if the key is absent, or there is a problem.
  mutating func path(_ node: JSONNode, of kind: String) -> String? {
    text(node, "the path of \(kind)") { $0.isEmpty ? nil : $0 }
  }

  /// A pattern of file names, or a part of paths, which is not empty.
  mutating func pattern(_ node: JSONNode) -> String? {
    text(node, "a text that is not empty") { $0.isEmpty ? nil : $0 }
  }
}
