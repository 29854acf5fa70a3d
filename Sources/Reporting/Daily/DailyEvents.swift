package import ConversionModel

/// The sums over the postbacks of a group that decode to an event.
package struct DailyEventSums: Sendable, Equatable {
  /// The number of postbacks.
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

  /// No postbacks.
  package init() {}

  /// The sum of the greatest possible numbers of times; nil if a postback has no upper limit.
  package var maximum: Int64? { openEnded > 0 ? nil : closedMaximum }

  /// Adds that many postbacks with an event.
  mutating func add(_ event: DailyEvent, _ postbacks: Int) {
    self.postbacks += postbacks
    count += event.count * postbacks
    minimum = minimum.addingProduct(event.minimum, postbacks)
    if let maximum = event.maximum {
      closedMaximum = closedMaximum.addingProduct(maximum, postbacks)
    } else {
      openEnded += postbacks
    }
    if let currency = event.currency { revenue[currency, default: DailyRevenue()] += event.revenue.times(postbacks) }
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
