internal import Base
internal import ConversionModel
internal import CopySettlement
internal import DerivedTables
internal import JSON
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// The values of the accepted postbacks of a part that won, with which rows of vendors are compared, whatever the settings.
struct AcceptedIndex: Sendable {
  /// The postbacks of one campaign.
  struct Campaign: Hashable, Sendable {
    let environment: String
    let isOfSKAdNetwork: Bool
    let app: Int64
    let network: String
    let campaign: Int64?
    let source: String?
    let window: Int64
  }

  /// Revenue of one postback.
  struct Revenue: Hashable, Sendable {
    let currency: String
    let amount: Amount
  }

  /// A postback.
  struct Entry: Sendable {
    let transaction: UInt64
    /// The time of receipt in milliseconds since 1970, or `unknownTime`.
    let received: Int64
    /// The place in `campaigns`.
    var campaign: UInt32
    /// The place in `revenues`, from 1; 0 for none.
    var revenue: UInt32
    let value: VendorValue
  }

  static let unknownTime = Int64.min

  private(set) var campaigns: [Campaign] = []
  private(set) var revenues: [Revenue] = []
  private(set) var entries: [Entry] = []
  private(set) var unreadable = UnreadableRows()
  private var campaignPlaces: [Campaign: UInt32] = [:]
  private var revenuePlaces: [Revenue: UInt32] = [:]

  init() {}

  // MARK: - Reading

  /// Reads the rows of a batch. `settled` has those of `skan_settled` beside them.
  private init(_ batch: RawBatch, settled: RawBatch, _ columns: PostbackColumns) {
    var row = RowCursor(batch, of: .postbacks)
    var settled = SettledCursor(ParsedRows(settled, of: .settled))
    while row.next() {
      if settled.next(row.key(columns.key)) {
        add(row, columns, settled.row, .settled)
      } else {
        add(row, columns, row, .postbacks)
      }
    }
    unreadable = row.unreadable
    unreadable += settled.row.unreadable
  }

  private mutating func add(
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns,
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns
  ) {
    guard row.boolean(columns.didWin) != false, let cell = row.cell(columns.transactionID) else { return }
    let window = row.integer(columns.window) ?? 0
    let campaign = Campaign(
      environment: row.text(columns.environment) ?? "",
      isOfSKAdNetwork: row.has("skadnetwork", in: columns.framework),
      app: row.integer(columns.appID) ?? 0,
      network: (row.text(columns.adNetworkID) ?? "").canonicalNetworkID,
      campaign: row.integer(columns.campaignID),
      source: row.text(columns.sourceIdentifier),
      window: window
    )
    var revenue: Revenue?
    if values.has("decoded", in: decided.decodeStatus), let currency = values.text(decided.currency),
      let amount = values.amount(decided.revenue)
    {
      revenue = Revenue(currency: currency, amount: amount)
    }
    let isContradicted = decided.areSettled && values.has("conflict", in: decided.decodeStatus)
    entries.append(
      Entry(
        transaction: TransactionNumber.of(row.bytes[cell.indices], window: window),
        received: decided.received(values) ?? Self.unknownTime,
        campaign: place(of: campaign),
        revenue: revenue.map { place(of: $0) } ?? 0,
        value: isContradicted
          ? .contradicted
          : VendorValue(fine: values.integer(decided.conversionValue), coarse: values.text(decided.coarseValue))
      )
    )
  }

  private mutating func place(of campaign: Campaign) -> UInt32 {
    if let place = campaignPlaces[campaign] { return place }
    let place = UInt32(campaigns.count)
    campaignPlaces[campaign] = place
    campaigns.append(campaign)
    return place
  }

  private mutating func place(of revenue: Revenue) -> UInt32 {
    if let place = revenuePlaces[revenue] { return place }
    revenues.append(revenue)
    revenuePlaces[revenue] = UInt32(revenues.count)
    return UInt32(revenues.count)
  }

  private mutating func merge(_ later: Self) {
    let campaigns = later.campaigns.map { place(of: $0) }
    let revenues = [0] + later.revenues.map { place(of: $0) }
    for var entry in later.entries {
      entry.campaign = campaigns[Int(entry.campaign)]
      entry.revenue = revenues[Int(entry.revenue)]
      entries.append(entry)
    }
    unreadable += later.unreadable
  }

  /// Returns the index of a part, that of the cache if there is one.
  static func of(
    _ part: TablePart,
    settled: SettledFiles?,
    in cache: PartCache
  ) async throws(PipelineFailure) -> AcceptedIndex {
    let name = try cache.name(.vendors, [part.identity, try SettledFiles.identity(settled?.rows)])
    if let bytes = try cache.read(name, UInt8.self), !bytes.isEmpty {
      var reader = ResultReader(bytes)
      return AcceptedIndex(&reader)
    }
    var index = AcceptedIndex()
    var rows = AlignedBatches(settled: settled?.rows)
    let columns = PostbackColumns()
    try await part.files.scan(jobs: 1) { batch throws(PipelineFailure) in
      try await rows.next(beside: batch) { () async throws(PipelineFailure) in
        try await part.files.postbackKeys(jobs: 1)
      }
    } _: { batch, beside in
      AcceptedIndex(batch, settled: beside.settled, columns)
    } take: { found in
      index.merge(found)
    }
    // Lines that are not rows are reported each time.
    if index.unreadable.count == 0 {
      var writer = ResultWriter()
      index.encode(&writer)
      try cache.add(name, writer.bytes)
    }
    return index
  }

  // MARK: - In the cache

  private func encode(_ writer: inout ResultWriter) {
    writer.append(campaigns) { writer, campaign in
      for text in [campaign.environment, campaign.network, campaign.source] { writer.append(text) }
      writer.append(campaign.isOfSKAdNetwork)
      writer.append(campaign.app)
      writer.append(campaign.campaign)
      writer.append(campaign.window)
    }
    writer.append(revenues) { writer, revenue in
      writer.append(revenue.currency)
      writer.append(revenue.amount)
    }
    writer.append(entries) { writer, entry in
      writer.append(entry.transaction)
      writer.append(UInt64(bitPattern: entry.received))
      writer.append(entry.campaign)
      writer.append(entry.revenue)
      writer.append(entry.value.rawValue)
    }
  }

  private init(_ reader: inout ResultReader) {
    campaigns = reader.array { reader in
      let (environment, network, source) = (reader.text(), reader.text(), reader.optionalText())
      let isOfSKAdNetwork = reader.flag()
      let app = reader.integer(Int64.self)
      return Campaign(
        environment: environment,
        isOfSKAdNetwork: isOfSKAdNetwork,
        app: app,
        network: network,
        campaign: reader.optional(),
        source: source,
        window: reader.integer(Int64.self)
      )
    }
    revenues = reader.array { Revenue(currency: $0.text(), amount: $0.amount()) }
    entries = reader.array { reader in
      Entry(
        transaction: reader.integer(UInt64.self),
        received: Int64(bitPattern: reader.integer(UInt64.self)),
        campaign: reader.integer(UInt32.self),
        revenue: reader.integer(UInt32.self),
        value: VendorValue(rawValue: reader.integer(UInt8.self))
      )
    }
  }
}
