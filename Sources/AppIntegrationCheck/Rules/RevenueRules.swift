internal import ConversionModel

extension DeviceCheck {
  /// Checks the totals of revenue against those before, and against the windows.
  mutating func checkRevenue(_ row: SessionValues, received: Int64, age: Int64?) {
    var fields: [(MetadataField, SessionValues.Total?)] = [(.revenue, row.revenue), (.adRevenue, row.adRevenue)]
    for window in 0...2 {
      fields.append((MetadataField.revenues[window], row.revenues[window]))
      fields.append((MetadataField.adRevenues[window], row.adRevenues[window]))
    }
    var rise: [String: Amount] = [:]
    var falls: [MetadataField: Falls] = [:]
    for (field, total) in fields {
      guard let total else { continue }
      if let before = totals[field] {
        falls[field] = Self.falls(from: before, to: total)
        if field == .revenue {
          for (code, amount) in total where amount > before[code] ?? .zero {
            rise[code] = amount - (before[code] ?? .zero)
          }
        }
      }
      totals[field] = total
    }
    note(falls, .revenue, MetadataField.revenues)
    note(falls, .adRevenue, MetadataField.adRevenues)
    if let double = rises.add(rise, row.event, at: received) {
      note(.revenueDouble, "\(double) twice within \(RecentRises.seconds) s for one event")
    }
    guard let age, age < ModelWindow.spans[2].upperBound else { return }
    checkSum(.revenue, row.revenue, row.revenues)
    checkSum(.adRevenue, row.adRevenue, row.adRevenues)
  }

  /// The amounts before and after, by currency, of a total that is smaller by more than a cent.
  private typealias Falls = [String: (before: Amount, now: Amount)]

  private static func falls(from before: SessionValues.Total, to total: SessionValues.Total) -> Falls {
    var falls: Falls = [:]
    for (code, amount) in before where amount - (total[code] ?? .zero) > cent {
      falls[code] = (amount, total[code] ?? .zero)
    }
    return falls
  }

  /// Notes the totals that fall. A refund is no finding: it lowers the total and a window by the same amount, or the total
  /// alone for SKAdNetwork 3, whose metadata have no windows.
  private mutating func note(_ falls: [MetadataField: Falls], _ field: MetadataField, _ windows: [MetadataField]) {
    let hasNoWindows = isLegacy && windows.allSatisfy { totals[$0] == nil }
    for code in Set(([field] + windows).flatMap { falls[$0]?.keys.map(\.self) ?? [] }).sorted() {
      func fall(_ field: MetadataField) -> Amount { falls[field]?[code].map { $0.before - $0.now } ?? .zero }
      let (whole, parts) = (fall(field), windows.reduce(.zero) { $0 + fall($1) })
      if whole > .zero, hasNoWindows || max(whole, parts) - min(whole, parts) <= Self.cent {
        hasRefund = true
        continue
      }
      for one in [field] + windows {
        if let fall = falls[one]?[code] { note(.revenueFalls, "\(one.name) \(fall.before) \(code), then \(fall.now)") }
      }
    }
  }

  private mutating func checkSum(
    _ field: MetadataField,
    _ total: SessionValues.Total?,
    _ windows: [SessionValues.Total?]
  ) {
    let parts = windows.compactMap { $0 }
    guard let total, !parts.isEmpty else { return }
    var sums: SessionValues.Total = [:]
    for part in parts { for (code, amount) in part { sums[code, default: .zero] += amount } }
    let tolerance = Self.cent * min(rowCount + 1, 1000)
    for code in Set(total.keys).union(sums.keys).sorted() {
      let (whole, sum) = (total[code] ?? .zero, sums[code] ?? .zero)
      if max(whole, sum) - min(whole, sum) > tolerance {
        note(.revenueSum, "\(field.name) \(whole) \(code), the windows \(sum)")
      }
    }
  }

  private static let cent = Amount.quotient(Amount(1), by: Amount(100)) ?? .zero
}

/// The latest rises of a total, for the search for revenue that was added twice.
struct RecentRises {
  /// The time within which two equal rises are suspicious.
  static let seconds: Int64 = 60

  private struct Row {
    let time: Int64
    let isOrder: Bool
    let rise: [String: Amount]
  }

  private var rows: [Row] = []

  private static let mostRows = 256

  /// Adds a row. Returns the amount and the currency of its rise if there was the same rise within a minute, and there were
  /// fewer events than rises.
  mutating func add(_ rise: [String: Amount], _ event: String?, at time: Int64) -> String? {
    // Metadata may lag by one update, so the last row before the minute counts as an event.
    let firstInTime = rows.firstIndex { time - $0.time <= Self.seconds } ?? rows.count
    rows.removeFirst(max(firstInTime - 1, 0))
    if rows.count >= Self.mostRows { rows.removeFirst() }
    rows.append(Row(time: time, isOrder: event != SessionValues.session, rise: rise))
    let orders = rows.count { $0.isOrder }
    for (code, amount) in rise.sorted(by: { $0.key < $1.key }) {
      let same = rows.count { time - $0.time <= Self.seconds && $0.rise[code] == amount }
      if same > 1, orders < same { return "\(amount) \(code)" }
    }
    return nil
  }
}
