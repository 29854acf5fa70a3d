package import ConversionModel
internal import JSON
package import PostbackPipeline
package import PostbackVerification
package import TableReading
package import Tables

/// The sums over the postbacks of a group that decode to an event.
package struct DailyEventSums: Sendable, Equatable {
  /// The number of postbacks whose value says that the event happened.
  package var postbacks = 0
  /// The sum of the estimated numbers of times.
  package var count = Amount.zero
  /// The sum of the least possible numbers of times.
  package var minimum: Int64 = 0
  /// The sum of the greatest possible numbers of times of those postbacks that have one.
  package var closedMaximum: Int64 = 0
  /// The number of postbacks without an upper limit.
  package var openEnded = 0
  /// The revenue by currency.
  package var revenue: [String: DailyRevenue] = [:]
  /// The number of postbacks whose revenue could not be converted to the currency of the report.
  package var unconverted = 0

  /// The sum of the greatest possible numbers of times; nil if a postback has no upper limit.
  package var maximum: Int64? { openEnded > 0 ? nil : closedMaximum }

  /// Adds that many postbacks with an event.
  mutating func add(_ event: DailyEvent, _ postbacks: Int, isUnconverted: Bool) {
    if event.hasHappened { self.postbacks += postbacks }
    count += event.count * postbacks
    minimum = minimum.addingProduct(event.minimum, postbacks)
    if let maximum = event.maximum {
      closedMaximum = closedMaximum.addingProduct(maximum, postbacks)
    } else {
      openEnded += postbacks
    }
    guard let currency = event.currency else { return }
    revenue[currency, default: DailyRevenue()] += event.revenue.times(postbacks)
    if isUnconverted { unconverted += postbacks }
  }
}

extension Int64 {
  /// The sum of this number and a product, both of them at least 0; the greatest number if it is beyond that.
  fileprivate func addingProduct(_ one: Int64, _ other: Int) -> Int64 {
    let (product, isTooLarge) = one.multipliedReportingOverflow(by: Int64(other))
    let (sum, isBeyond) = addingReportingOverflow(product)
    return isTooLarge || isBeyond ? .max : sum
  }
}

/// Finds the events of some postbacks in `skan_events`.
package struct DailyEventReader: Sendable {
  /// The events of the postbacks in a batch, in the order of the rows.
  package struct Batch: Sendable {
    package fileprivate(set) var events: [(postback: PostbackKey, event: DailyEvent)] = []
    package fileprivate(set) var unreadable = UnreadableRows()
  }

  /// The postbacks whose events are wanted.
  let postbacks: Set<PostbackKey>

  private let key = Table.events.place(.postbackKey)
  private let name = Table.events.place(.eventName)
  private let count = Table.events.place(.eventCount)
  private let minimum = Table.events.place(.minEventCount)
  private let maximum = Table.events.place(.maxEventCount)
  private let revenue = Table.events.place(.skanRevenue)
  private let minRevenue = Table.events.place(.minRevenue)
  private let maxRevenue = Table.events.place(.maxRevenue)
  private let currency = Table.events.place(.currency)
  private let kind = Table.events.place(.revenueKind)

  /// Reads the events of the postbacks in files.
  package func read(_ files: TableFiles, jobs: Int) async throws(PipelineFailure) -> Batch {
    var all = Batch()
    try await files.scan(jobs: jobs) {
      read($0)
    } take: { batch in
      all.events += batch.events
      all.unreadable += batch.unreadable
    }
    return all
  }

  /// Reads a batch. Only rows of these postbacks are parsed.
  func read(_ batch: RawBatch) -> Batch {
    var found = Batch()
    let places = batch.records.indices.filter { place in
      mayBeWanted(batch.bytes.span.extracting(batch.records[place].bytes.indices))
    }
    var cursor = RowCursor(batch.keeping(places), of: .events)
    while cursor.next() {
      guard let postback = cursor.key(key), postbacks.contains(postback), let name = cursor.text(name) else { continue }
      var event = DailyEvent(
        name: name,
        count: cursor.amount(count) ?? .zero,
        minimum: cursor.integer(minimum) ?? 0,
        maximum: cursor.integer(maximum),
        currency: cursor.text(currency)
      )
      if event.currency != nil {
        event.revenue.estimate = cursor.amount(revenue) ?? .zero
        event.revenue.minimum = cursor.amount(minRevenue) ?? .zero
        if let most = cursor.amount(maxRevenue) {
          event.revenue.closedMaximum = most
        } else {
          event.revenue.openEnded = 1
        }
        if let kind = cursor.text(kind).flatMap(RevenueKind.init) {
          event.revenue.byKind = [kind: event.revenue.estimate]
        }
      }
      found.events.append((postback, event))
    }
    found.unreadable = cursor.unreadable
    return found
  }

  /// Tells if a line may be a row of a wanted postback, by its first bytes.
  private func mayBeWanted(_ line: Span<UInt8>) -> Bool {
    PostbackKey(leading: line).map(postbacks.contains) ?? true
  }
}
