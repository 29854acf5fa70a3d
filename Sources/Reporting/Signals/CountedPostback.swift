internal import Base
internal import ConversionModel
internal import JSON
internal import SKAdNetwork
internal import Tables

/// The properties of an accepted postback by which signals are counted.
struct CountedPostback {
  var network: String
  let app: String
  /// The forwarder; nil for devices and unknown senders.
  let forwarder: String?
  var campaign: String
  /// The state of the campaign in the lookup tables; nil if it was not looked up.
  var status: EnrichStatus?
  /// The time of receipt; nil if it is not known.
  let time: Int64?
  let window: UInt8
  let family: UInt8
  let isWin: Bool

  private static let millisecondsPerWeek: Int64 = 7 * 86_400_000

  /// Reads the current row of `skan_postbacks`.
  init(_ row: borrowing RowCursor, _ columns: PostbackColumns, network: String, app: String) {
    (self.network, self.app) = (network, app)
    forwarder = row.text(columns.forwarder)
    time = row.time(columns.receivedAt)
    window = UInt8(clamping: row.integer(columns.window) ?? 0)
    isWin = row.boolean(columns.didWin) ?? true
    let version = row.text(columns.version).flatMap(Version.init)
    family = version.map { $0 < .v4_0 ? 0 : 1 } ?? 2
    // Later windows have two digits of the identifier: those are the campaign in all windows.
    campaign =
      row.text(columns.sourceIdentifier).map { "s" + $0.suffix(2) } ?? row.text(columns.campaignID).map { "c" + $0 }
      ?? ""
  }

  /// The cluster of the postback.
  var cluster: SignalCluster {
    SignalCluster(
      app: app,
      network: network,
      forwarder: forwarder,
      campaign: campaign,
      week: time.map { Int32(clamping: $0 / Self.millisecondsPerWeek) } ?? 0,
      window: window,
      family: family
    )
  }

  /// What gives the values of the postback their meaning.
  func place(_ row: borrowing RowCursor, _ columns: PostbackColumns) -> ValueChanges.Place {
    let version = row.integer(columns.modelVersion)
    return ValueChanges.Place(
      app: app,
      family: family,
      window: window,
      model: version == nil ? nil : row.text(columns.modelID),
      version: version ?? 0
    )
  }

  /// Notes the revenue that the value of the row means, if the row has it.
  func note(_ value: MeantValue, _ row: borrowing RowCursor, _ columns: PostbackColumns, in changes: inout ValueChanges)
  {
    guard let amount = row.amount(columns.revenue), let currency = row.text(columns.currency) else { return }
    changes.note(value, in: place(row, columns), currency, amount)
  }
}

extension String {
  /// The id of an ad network without the framework's ending, in lower case.
  var networkStem: String { String(prefix { $0 != "." }).lowercased() }
}
