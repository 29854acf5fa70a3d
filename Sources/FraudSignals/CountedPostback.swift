internal import Base
internal import ConversionModel
internal import JSON
internal import LookupTables
internal import SKAdNetwork
internal import TableReading
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
  /// The country of the postback, and the only one that its campaign targets, as the number of their letters; nil if unknown.
  let country: UInt16?
  var target: UInt16?
  /// The time of receipt; nil if it is not known.
  let time: Int64?
  let window: UInt8
  let family: UInt8
  let isWin: Bool
  let form: UInt8
  let model: UInt64

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
    country = row.letters(columns.country)
    let digits = row.cell(columns.sourceIdentifier)?.count ?? 0
    form = UInt8(min(digits, 7)) + (row.cell(columns.sourceAppID) == nil ? 0 : 8)
    model = Self.model(row, columns)
    campaign =
      row.text(columns.sourceIdentifier).map { "s" + $0.suffix(2) } ?? row.text(columns.campaignID).map { "c" + $0 }
      ?? ""
  }

  /// A hash of the model and its version; 0 if the row has none.
  private static func model(_ row: borrowing RowCursor, _ columns: PostbackColumns) -> UInt64 {
    guard let version = row.integer(columns.modelVersion), let id = row.cell(columns.modelID) else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in row.bytes[id.indices] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return max(1, (hash ^ UInt64(bitPattern: Int64(version))) &* 0x100_0000_01B3)
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
      family: family,
      model: model,
      form: form
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

extension RowCursor {
  /// The number of the two letters of a cell; nil if it has others.
  func letters(_ column: Int) -> UInt16? {
    guard let cell = cell(column), cell.count == 2 else { return nil }
    let start = Int(cell.start)
    return UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
  }
}
