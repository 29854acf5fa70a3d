internal import Base
internal import CampaignEnrichment
internal import ConversionModel
package import DerivedTables
package import LookupTables
package import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
package import Tables

/// The daily counts of the postbacks of a part, with the events of those whose values were settled.
package struct DailyPart: Sendable {
  package private(set) var cells = DailyCells()
  package private(set) var rows = DailyRowCounts()
  /// The lines that are not rows.
  package private(set) var unreadable = UnreadableRows()

  /// Nothing was counted.
  package init() {}

  package mutating func add(_ batch: DailyBatch) {
    cells.add(batch.cells)
    rows += batch.rows
    unreadable += batch.unreadable
  }

  /// Reads the events of the outcomes of settled postbacks.
  package mutating func readEvents(_ files: TableFiles?, jobs: Int) async throws(PipelineFailure) {
    unreadable += try await cells.readEvents(files, settled: true, jobs: jobs)
  }
}

extension DailyPart: PartResult {
  package var isWhole: Bool { true }

  package mutating func merge(_ later: DailyPart) {
    cells.add(later.cells)
    rows += later.rows
    unreadable += later.unreadable
  }

  package func encode(_ writer: inout ResultWriter) {
    rows.encode(&writer)
    cells.encode(&writer)
  }

  package init(_ reader: inout ResultReader) { (rows, cells) = (DailyRowCounts(&reader), DailyCells(&reader)) }
}

extension PartCalculation<DailyCounter> {
  package init(_ lookups: Lookups, _ settings: DailySettings, in cache: PartCache) throws(PipelineFailure) {
    let calculation = DailyCounter(Enricher(lookups, settings.encoding), settings)
    self.init(
      calculation,
      digest: try cache.digest([
        lookups.hexadecimalDigest, DailyDimension.text(settings.dimensions),
        settings.environmentNames, settings.asOf?.description ?? "",
      ])
    )
  }
}

extension DailyRowCounts {
  fileprivate func encode(_ writer: inout ResultWriter) {
    for count in Self.counts { writer.append(self[keyPath: count]) }
    receipts.encode(&writer)
    writer.append(leftOut) { writer, environment in
      writer.append(environment.key)
      writer.append(environment.value)
    }
  }

  fileprivate init(_ reader: inout ResultReader) {
    for count in Self.counts { self[keyPath: count] = reader.count() }
    receipts = LatestReceipts(&reader)
    leftOut = reader.dictionary { ($0.text(), $0.count()) }
  }
}

extension DailyOutcome {
  func encode(_ writer: inout ResultWriter) {
    writer.append(window)
    writer.append(conversion?.rawValue)
    writer.append(conversionType?.rawValue)
    writer.append(isView.map { $0 ? 1 : 0 })
    for flag in [hasWon, isWeb, hasPublisher, isCumulative] { writer.append(flag) }
    value.encode(&writer)
    writer.append(status.rawValue)
    writer.append(app)
    writer.append(modelID)
    writer.append(modelVersion)
    writer.append(arrival.map { Int64($0.least) })
    writer.append(arrival.map { Int64($0.most) })
    writer.append(currency)
    revenue.encode(&writer)
    writer.append(trust.map { Int64($0.level) })
    writer.append(trust?.isOfDevice == true)
    writer.append(example.map { [$0.high, $0.low] } ?? []) { $0.append($1) }
    writer.append(events) { writer, event in event.encode(&writer) }
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    window = reader.count()
    conversion = reader.optional().flatMap { Conversion(rawValue: $0) }
    conversionType = reader.optional().flatMap { Conversion(rawValue: $0) }
    isView = reader.optional().map { $0 == 1 }
    (hasWon, isWeb, hasPublisher, isCumulative) = (reader.flag(), reader.flag(), reader.flag(), reader.flag())
    value = Value(&reader)
    status = DecodeStatus(rawValue: reader.text()) ?? .null
    (app, modelID, modelVersion) = (reader.integer(), reader.text(), reader.count())
    if let least = reader.optional(), let most = reader.optional() {
      arrival = ArrivalHours(least: Int(least), most: Int(most))
    }
    currency = reader.optionalText()
    revenue = DailyRevenue(&reader)
    let level = reader.optional()
    let isOfDevice = reader.flag()
    trust = level.map { CopyAgreement(level: Int($0), isOfDevice: isOfDevice) }
    let key = reader.array { $0.integer(UInt64.self) }
    example = key.count == 2 ? PostbackKey(high: key[0], low: key[1]) : nil
    events = reader.array { DailyEvent(&$0) }
  }
}

extension DailyOutcome.Value {
  private var numbers: (kind: Int, value: Int) {
    switch self {
    case .fine(let value): (0, value)
    case .coarse(let value): (1, value.place)
    case .null: (2, 0)
    case .ambiguousZero: (3, 0)
    case .notPossible: (4, 0)
    case .contradicted: (5, 0)
    }
  }

  fileprivate func encode(_ writer: inout ResultWriter) {
    writer.append(numbers.kind)
    writer.append(numbers.value)
  }

  fileprivate init(_ reader: inout ResultReader) {
    let (kind, value) = (reader.count(), reader.count())
    self =
      switch kind {
      case 0: .fine(value)
      case 1: .coarse(CoarseConversionValue.allCases.first { $0.place == value } ?? .low)
      case 3: .ambiguousZero
      case 4: .notPossible
      case 5: .contradicted
      default: .null
      }
  }
}

extension DailyEvent {
  fileprivate func encode(_ writer: inout ResultWriter) {
    writer.append(name)
    writer.append(count)
    writer.append(minimum)
    writer.append(maximum)
    writer.append(currency)
    revenue.encode(&writer)
  }

  fileprivate init(_ reader: inout ResultReader) {
    self.init(name: reader.text(), count: reader.amount(), minimum: reader.integer(), maximum: reader.optional())
    currency = reader.optionalText()
    revenue = DailyRevenue(&reader)
  }
}

extension DailyRevenue {
  fileprivate func encode(_ writer: inout ResultWriter) {
    for amount in [estimate, confirmed, minimum, closedMaximum] { writer.append(amount) }
    writer.append(openEnded)
    writer.append(byKind) { writer, kind in
      writer.append(kind.key.rawValue)
      writer.append(kind.value)
    }
  }

  fileprivate init(_ reader: inout ResultReader) {
    self.init()
    (estimate, confirmed, minimum) = (reader.amount(), reader.amount(), reader.amount())
    (closedMaximum, openEnded) = (reader.amount(), reader.count())
    for (kind, amount) in reader.array({ (RevenueKind(rawValue: $0.text()), $0.amount()) }) {
      if let kind { byKind[kind] = amount }
    }
  }
}
