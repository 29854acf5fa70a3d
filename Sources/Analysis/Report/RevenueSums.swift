package import ConversionModel
internal import TableReading
internal import Tables

/// The sum of decoded revenue for one conversion window.
package struct RevenueWindow: Sendable {
  /// The number of postbacks.
  package internal(set) var postbacks = 0
  /// Indicates that the window includes those before it.
  package internal(set) var isCumulative = false
  package internal(set) var estimate = Amount.zero
  package internal(set) var minimum = Amount.zero
  /// The sum of the upper limits of those postbacks that have one.
  package internal(set) var closedMaximum = Amount.zero
  /// The number of postbacks without an upper limit.
  package internal(set) var openEnded = 0

  static func += (left: inout Self, right: Self) {
    left.postbacks += right.postbacks
    left.isCumulative = left.isCumulative || right.isCumulative
    left.estimate += right.estimate
    left.minimum += right.minimum
    left.closedMaximum += right.closedMaximum
    left.openEnded += right.openEnded
  }
}

/// Sums of decoded revenue for each conversion window. Only revenue of one app, currency, ad network, conversion type
/// and model version is added up. The size is bounded, whatever the tables hold.
struct RevenueSums: Sendable {
  /// The columns that separate sums; the first two identify a `RejectReport.RevenueRange`.
  private static let columns = [
    "app_id", "currency", "ad_network_id", "conversion_type", "model_id", "model_version",
  ]

  private let reader = GroupKeyReader(RevenueSums.columns, in: .postbacks)
  private var sums = RevenueGroups()
  /// Indicates that some revenue is left out, because there are more sums than can be kept.
  var isBounded: Bool { !sums.isWhole }

  /// Sums of no revenue.
  init() {}

  /// Adds the revenue of the current row to the sum for this conversion window.
  mutating func add(_ sum: RevenueWindow, ofWindow window: Int, _ row: borrowing RowCursor, _ key: inout GroupKey) {
    reader.read(row, into: &key)
    sums.add(sum, ofWindow: window, key)
  }

  /// Adds the sums of rows that come later.
  mutating func merge(_ later: RevenueSums) { sums.merge(later.sums) }

  /// Writes the sums, all of which are kept.
  func encode(_ writer: inout ResultWriter) { sums.encode(&writer) }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) { sums = RevenueGroups(&reader) }

  /// The revenue by app and currency: currencies by the number of their postbacks, and in each the largest estimates first.
  var ranges: [RejectReport.RevenueRange] {
    var ranges: [String: [String: RejectReport.RevenueRange]] = [:]
    for (key, windows) in sums.entries {
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

extension RejectReport.RevenueRange {
  /// Combines the revenue of all windows.
  ///
  /// The revenue of a cumulative window includes that of the windows before it, and no postback tells which others are
  /// of the same user. So the two sums are not added: the larger one is taken, for the estimate and for each limit. The
  /// result is too low if some users have a postback of the earlier window only, and it is never too high.
  fileprivate init(_ app: String, _ currency: String, _ windows: [RevenueWindow]) {
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

/// The revenue of each conversion window by group. A limited number of groups is kept.
struct RevenueGroups: Sendable {
  private var table = GroupTable<[RevenueWindow]>()
  /// Indicates that all groups are kept.
  private(set) var isWhole = true

  private static let none = [RevenueWindow](repeating: RevenueWindow(), count: 3)

  /// The groups, in the order in which they came first, with the sums of their windows.
  var entries: GroupEntries<[RevenueWindow]> { table.entries }

  mutating func add(_ sum: RevenueWindow, ofWindow window: Int, _ key: GroupKey) {
    if !table.update(key, Self.none, { $0[window] += sum }) { isWhole = false }
  }

  /// Adds the groups of rows that come later.
  mutating func merge(_ later: RevenueGroups) {
    var isWhole = isWhole && later.isWhole
    table.merge(later.table, Self.none) { sums, windows in
      for window in windows.indices { sums[window] += windows[window] }
    } left: { _ in
      isWhole = false
    }
    self.isWhole = isWhole
  }
}

extension RevenueGroups {
  /// Writes the groups, all of which are kept.
  func encode(_ writer: inout ResultWriter) {
    table.encode(&writer) { writer, windows in
      for window in windows {
        writer.append(window.postbacks)
        writer.append(window.isCumulative)
        for amount in [window.estimate, window.minimum, window.closedMaximum] { writer.append(amount) }
        writer.append(window.openEnded)
      }
    }
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    table = GroupTable(&reader) { reader in
      Self.none.map { window in
        var window = window
        (window.postbacks, window.isCumulative) = (reader.count(), reader.flag())
        (window.estimate, window.minimum, window.closedMaximum) = (reader.amount(), reader.amount(), reader.amount())
        window.openEnded = reader.count()
        return window
      }
    }
  }
}
