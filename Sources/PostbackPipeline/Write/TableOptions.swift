package import Ledger
package import Tables

/// The folder, the formats and the limits with which tables are written.
package struct TableOptions: Sendable {
  /// The output folder, which has a folder for each table.
  package var folder: String
  package var formats: Set<TableFormat>
  /// Indicates that the formats were chosen, and are not those of the existing tables.
  package var choosesFormats = false
  /// Indicates that CSV texts which a spreadsheet would run as a formula get an apostrophe in front.
  package var isCSVSafe: Bool
  /// Indicates that rows of accepted postbacks have the bytes of the postback.
  package var keepsRawBodies = false
  /// The length in bytes from which a part is complete.
  package var partBytes: Int64 = 256 << 20
  /// The age from which a part is complete; nil sets no limit.
  package var partAge: Duration?
  /// The age from which ids of postbacks are forgotten while tables are written; nil keeps all.
  package var forgetAge: Duration?
  /// The time after which written rows are due for their commit.
  package var commitInterval = Duration.seconds(1)
  /// The shortest time between two commits where no input waits; a trickle of rows shares its commits.
  package var trickleInterval = Duration.zero
  /// The rule by which the parts of each table are spread over folders; nil if all are in one.
  package var partitioning: Partitioning?
  /// The share of the records that the tables hold; nil if they hold all.
  package var shard: Shard?
  /// Indicates that the tables have the network addresses of senders.
  package var keepsAddresses = false

  /// Makes options with the default limits.
  package init(folder: String, formats: Set<TableFormat> = [.jsonLines], isCSVSafe: Bool = false) {
    self.folder = folder
    self.formats = formats
    self.isCSVSafe = isCSVSafe
  }

  /// Completes the options from the tables of an existing state, for choices that were not made; `settings` are those
  /// of its ledger.
  package mutating func complete(from settings: [String: String]) {
    let formats = (settings["format"] ?? "").split(separator: ",").compactMap { TableFormat(rawValue: String($0)) }
    if !choosesFormats, !formats.isEmpty { self.formats = Set(formats) }
    isCSVSafe = isCSVSafe || settings[Ledger.csvSafe] == "yes"
    keepsRawBodies = keepsRawBodies || settings[Self.keepRaw] == "yes"
    partitioning = partitioning ?? settings[Self.partition].flatMap { Partitioning(rawValue: $0) }
  }

  /// The options that change the content of the tables, as settings for the ledger.
  package var settings: [String: String] {
    var settings = [
      "format": formats.map(\.rawValue).sorted().joined(separator: ","),
      Ledger.csvSafe: isCSVSafe ? "yes" : "no",
    ]
    settings[Self.partition] = partitioning?.rawValue
    settings["shard"] = shard?.description
    if keepsRawBodies { settings[Self.keepRaw] = "yes" }
    return settings
  }

  /// The name of the setting for `keepsRawBodies`.
  package static let keepRaw = "keep-raw"
  /// The name of the setting for `partitioning`.
  package static let partition = "partition"
}
