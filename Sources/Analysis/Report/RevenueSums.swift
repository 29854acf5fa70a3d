internal import ConversionModel
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// Sums of decoded revenue for each conversion window. Only revenue of one app, currency, ad network, conversion type
/// and model version is added up. The size is bounded, whatever the tables hold.
struct RevenueSums: Sendable {
  /// The sum for one conversion window.
  struct Window: Sendable {
    var postbacks = 0
    var isCumulative = false
    var estimate = Amount.zero
    var minimum = Amount.zero
    /// The sum of the upper limits of those postbacks that have one.
    var closedMaximum = Amount.zero
    /// The number of postbacks without an upper limit.
    var openEnded = 0

    static func += (left: inout Window, right: Window) {
      left.postbacks += right.postbacks
      left.isCumulative = left.isCumulative || right.isCumulative
      left.estimate += right.estimate
      left.minimum += right.minimum
      left.closedMaximum += right.closedMaximum
      left.openEnded += right.openEnded
    }
  }

  /// The columns that separate sums; the first two identify a `Report.RevenueRange`.
  private static let columns = [
    "app_id", "currency", "ad_network_id", "conversion_type", "model_id", "model_version",
  ]
  private static let mostSums = 100_000

  private let reader = GroupKeyReader(RevenueSums.columns, in: .postbacks)
  private var sums: [GroupKey: [Window]] = [:]
  /// Indicates that some revenue is left out, because there are more sums than can be kept.
  private(set) var isBounded = false

  /// Adds the revenue of the current row to the sum for this conversion window.
  mutating func add(_ sum: Window, ofWindow window: Int, _ row: borrowing RowCursor, _ key: inout GroupKey) {
    reader.read(row, into: &key)
    sums[key, default: Self.none][window] += sum
  }

  private static let none = [Window](repeating: Window(), count: 3)

  /// Adds the sums of rows that come later.
  mutating func merge(_ later: RevenueSums) {
    for (key, windows) in later.sums.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      guard sums[key] != nil || sums.count < Self.mostSums else {
        isBounded = true
        continue
      }
      for window in windows.indices { sums[key, default: Self.none][window] += windows[window] }
    }
    isBounded = isBounded || later.isBounded
  }

  /// The revenue by app and currency: currencies by the number of their postbacks, and in each the largest estimates first.
  var ranges: [Report.RevenueRange] {
    var ranges: [String: [String: Report.RevenueRange]] = [:]
    for (key, windows) in sums {
      let values = key.values
      let (app, currency) = (values[0] ?? "", values[1] ?? "")
      ranges[currency, default: [:]][app, default: .init(app: app, currency: currency)] += .init(app, currency, windows)
    }
    let currencies = ranges.map { ($0.key, $0.value.values.reduce(0) { $0 + $1.postbacks }, Array($0.value.values)) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    return currencies.flatMap { _, _, ranges in
      ranges.sorted { $0.estimate == $1.estimate ? $0.app < $1.app : $0.estimate > $1.estimate }
    }
  }
}

extension Report.RevenueRange {
  /// Combines the revenue of all windows.
  ///
  /// The revenue of a cumulative window includes that of the windows before it, and no postback tells which others are
  /// of the same user. So the two sums are not added: the larger one is taken, for the estimate and for each limit. The
  /// result is too low if some users have a postback of the earlier window only, and it is never too high.
  fileprivate init(_ app: String, _ currency: String, _ windows: [RevenueSums.Window]) {
    self.init(app: app, currency: currency)
    for window in windows where window.postbacks > 0 {
      if postbacks > 0 { basis = max(basis, window.isCumulative ? .largest : .sum) }
      postbacks += window.postbacks
      openEnded += window.openEnded
      let together: (Amount, Amount) -> Amount = window.isCumulative ? { max($0, $1) } : { $0 + $1 }
      estimate = together(estimate, window.estimate)
      minimum = together(minimum, window.minimum)
      closedMaximum = together(closedMaximum, window.closedMaximum)
    }
  }

  fileprivate static func += (left: inout Self, right: Self) {
    left.postbacks += right.postbacks
    left.estimate += right.estimate
    left.minimum += right.minimum
    left.closedMaximum += right.closedMaximum
    left.openEnded += right.openEnded
    left.basis = max(left.basis, right.basis)
  }
}
