internal import Statistics
internal import JSON
internal import LookupTables
internal import SKAdNetwork
internal import TableReading
internal import Tables
internal import CopySettlement
internal import PostbackCopies
internal import CampaignEnrichment

/// The properties of an accepted postback by which signals are counted.
struct CountedPostback {
  var network: String
  let app: String
  /// The forwarder whose own copy this is; nil for the copy that counts, whoever sent it.
  private(set) var forwarder: String?
  var campaign: String
  /// The state of the campaign in the lookup tables; nil if it was not looked up.
  var status: EnrichStatus?
  /// The country of the postback, and the only one that its campaign targets, as the number of their letters; nil if unknown.
  private(set) var country: UInt16?
  var target: UInt16?
  /// The time of receipt; nil if it is not known.
  private(set) var time: Int64?
  let window: UInt8
  let family: UInt8
  let isWin: Bool
  let form: UInt8
  /// The id of the model and its version; nil if the postback was not decoded.
  private let modelID: String?
  private let modelVersion: Int64?
  let model: UInt64
  /// The fine value and the number of the coarse one; nil if there is none.
  private(set) var fine, coarse: Int?
  /// Indicates that devices' own copies contradict each other, so that no value counts.
  private(set) var isWithheld: Bool
  /// Indicates that a device's own copy tells which value is right.
  var hasWitness = true
  /// Tells if the postback is of a view, and of a redownload; nil if that is not known.
  private(set) var isView, isRedownload: Bool?

  private static let millisecondsPerWeek: Int64 = 7 * 86_400_000

  /// Reads the current row of `skan_postbacks`. `values` has the values that count, in the columns `decided`.
  init(
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns,
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns,
    network: String,
    app: String
  ) {
    (self.network, self.app) = (network, app)
    time = decided.received(values)
    isWithheld = decided.areSettled && values.has(SettledStatus.conflict, in: decided.decodeStatus)
    fine = values.integer(decided.conversionValue).flatMap { (0...63).contains($0) ? Int($0) : nil }
    let word = values.text(decided.coarseValue).flatMap { CoarseConversionValue(rawValue: $0) }
    coarse = word.map { Int(UnsignedValues.place(of: $0)) }
    window = UInt8(clamping: row.integer(columns.window) ?? 0)
    isWin = row.boolean(columns.didWin) ?? true
    let version = row.text(columns.version).flatMap(Version.init)
    family = version.map { $0 < .v4_0 ? 0 : 1 } ?? 2
    // Later windows have two digits of the identifier: those are the campaign in all windows.
    country = values.letters(decided.country)
    let digits = row.cell(columns.sourceIdentifier)?.count ?? 0
    let hasSourceApp = decided.withUnsigned(\.sourceApp, values, row, columns) { $0.cell($1) != nil }
    form = UInt8(min(digits, 7)) + (hasSourceApp ? 8 : 0)
    modelVersion = values.integer(decided.modelVersion)
    modelID = modelVersion == nil ? nil : values.text(decided.modelID)
    model = Self.hash(modelID, modelVersion)
    if let fidelity = row.integer(columns.fidelityType) {
      isView = fidelity == 0
    } else {
      isView = values.text(decided.interaction).map { $0 == "view" }
    }
    isRedownload =
      decided.withUnsigned(\.redownload, values, row, columns) { $0.boolean($1) }
      ?? row.text(columns.conversionType).map { $0 == "redownload" }
    campaign =
      row.text(columns.sourceIdentifier).map { "s" + $0.suffix(2) } ?? row.text(columns.campaignID).map { "c" + $0 }
      ?? ""
  }

  /// Reads the current row of `skan_enriched`.
  mutating func read(_ row: borrowing RowCursor, _ columns: EnrichedColumns) {
    network = row.text(columns.network) ?? network
    campaign = row.text(columns.campaign) ?? campaign
    if let status = row.text(columns.status).flatMap(EnrichStatus.init) { self.status = status }
    if row.has(CountrySource.targeting.rawValue, in: columns.countrySource) { target = row.letters(columns.country) }
  }

  /// The postback as the first copy of a forwarder has it. Some fields of `unsigned` are not signed.
  func sent(by sender: PostbackSenders.Sender, _ name: String, _ unsigned: [UnsignedField]) -> Self {
    var sent = self
    let values = sender.values[0].values
    func value(_ field: UnsignedField) -> Int? { values[field] < 0 ? nil : Int(values[field]) }
    (sent.forwarder, sent.time, sent.isWithheld) = (name, sender.first == .max ? nil : sender.first, false)
    sent.fine = value(.conversionValue).flatMap { (0...63).contains($0) ? $0 : nil }
    sent.coarse = value(.coarseConversionValue)
    sent.country = value(.countryCode).map { UInt16(truncatingIfNeeded: $0) }
    if unsigned.contains(.adInteractionType) {
      sent.isView = value(.adInteractionType).map { AdInteractionType.allCases[$0] == .view }
    }
    if unsigned.contains(.redownload) { sent.isRedownload = value(.redownload).map { $0 == 1 } }
    return sent
  }

  /// The properties of the campaign in the lookup tables that tests are about; none if it was not looked up.
  var campaignRates: [(name: SignalName, isFound: Bool)] {
    guard let status else { return [] }
    return [(.unknownCampaigns, status == .unmapped), (.inactiveCampaigns, status == .outsideValidity)]
  }

  /// The counts of the postback alone.
  var counts: ClusterCounts {
    var counts = ClusterCounts()
    counts.postbacks = 1
    guard isWin, !isWithheld else { return counts }
    if let fine { counts.add(fine: fine) }
    if let coarse { counts.coarse[coarse] = 1 }
    counts.nulls.add(fine == nil && coarse == nil)
    if let country { counts.countries[country] = 1 }
    counts.viewThrough.add(isView)
    counts.redownload.add(isRedownload)
    return counts
  }

  /// A hash of the model and its version; 0 if the row has none.
  private static func hash(_ id: String?, _ version: Int64?) -> UInt64 {
    guard let id, let version else { return 0 }
    var hash = StableHash()
    hash.add(id)
    hash.add(Int(version))
    return max(1, hash.value)
  }

  /// The form, and the kind of download: the people who come back have other values.
  var kind: UInt32 { UInt32(form) << 2 | Self.number(isRedownload) }

  /// The kind, and what else tells of which people of a campaign the postback is: whether it is of a view, and the country.
  /// Forwarders may have got different parts of a campaign.
  var segment: UInt32 { kind << 18 | Self.number(isView) << 16 | UInt32(country ?? 0) }

  private static func number(_ flag: Bool?) -> UInt32 { flag.map { $0 ? 2 : 1 } ?? 0 }

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

  /// The app, the versions, the window and the model, which give the values of the postback their meaning.
  var place: ValueChanges.Place {
    ValueChanges.Place(app: app, family: family, window: window, model: modelID, version: modelVersion ?? 0)
  }

  /// The value that has a meaning.
  var meant: MeantValue {
    if let fine { return MeantValue(kind: 2, value: Int8(fine)) }
    return coarse.map { MeantValue(kind: 1, value: Int8($0)) } ?? .none
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
