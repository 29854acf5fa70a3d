package import ConversionModel
internal import DailyReports
internal import JSON
package import Tables

/// Amounts of rows of `skan_daily` that are in other currencies than a report, and so in none of its sums.
package struct OtherAmounts: Sendable, Equatable {
  /// An amount, and the number of rows that it is of.
  private struct Part: Equatable {
    var amount: Amount
    var rows: Int
  }

  private var revenue: [String: Part] = [:]
  private var cost: [String: Part] = [:]

  /// No amounts.
  package init() {}

  /// The number of amounts.
  package var rows: Int { revenue.values.reduce(costRows) { $0 + $1.rows } }
  /// The number of costs among them.
  package var costRows: Int { cost.values.reduce(0) { $0 + $1.rows } }

  /// Adds the revenue of some rows.
  package mutating func add(revenue amount: Amount, _ currency: String, rows: Int = 1) {
    Self.add(Part(amount: amount, rows: rows), currency, to: &revenue)
  }

  /// Adds the cost of some rows.
  package mutating func add(cost amount: Amount, _ currency: String, rows: Int = 1) {
    Self.add(Part(amount: amount, rows: rows), currency, to: &cost)
  }

  private static func add(_ part: Part, _ currency: String, to parts: inout [String: Part]) {
    let known = parts[currency] ?? Part(amount: .zero, rows: 0)
    parts[currency] = Part(amount: known.amount + part.amount, rows: known.rows + part.rows)
  }

  /// Adds other amounts.
  package static func += (left: inout Self, right: Self) {
    for (currency, part) in right.revenue { add(part, currency, to: &left.revenue) }
    for (currency, part) in right.cost { add(part, currency, to: &left.cost) }
  }

  /// Names the amounts.
  ///
  /// - Parameters:
  ///   - currency: The currency of the report.
  ///   - isConverted: Indicates that amounts are converted to it, so that these have no exchange rate.
  ///   - rest: More about the rows, such as their period.
  /// - Returns: A sentence about the revenue, and one about the cost, if there is any.
  package func sentences(_ currency: String?, isConverted: Bool, _ rest: String = "") -> [String] {
    [("Revenue", revenue), ("Cost", cost)].filter { !$0.1.isEmpty }.map { name, parts in
      let listed = parts.sorted { $0.key < $1.key }.map { currency, part in
        "\(part.amount) \(currency) (\(part.rows) \(part.rows == 1 ? "row" : "rows") of skan_daily)"
      }.joined(separator: ", ")
      return isConverted
        ? """
        \(name) of \(listed)\(rest) has no exchange rate, and sums that need it are left empty. Add the rates to the file of \
        postback daily --rates.
        """
        : """
        \(name) of \(listed)\(rest) is left out, and sums without it have no ratios. Convert it with postback daily \
        --rates FILE --currency \(currency ?? "CODE").
        """
    }
  }
}

extension RowCursor {
  /// Returns the amounts in a cell with a JSON object of amounts by currency; none if the cell is null.
  package borrowing func amountsByCurrency(_ column: Int) -> [String: Amount] {
    guard let text = text(column), case .object(let members)? = try? JSONValue(parsing: Array(text.utf8)) else {
      return [:]
    }
    var amounts: [String: Amount] = [:]
    for member in members { amounts[member.key] = member.value.amount }
    return amounts
  }

  /// Tells if the conversion windows of a row of `skan_daily` have revenue in several currencies, which has no sum.
  package borrowing func hasAllWindowsOfSeveralCurrencies() -> Bool {
    func isNull(_ column: ColumnName, _ row: borrowing RowCursor) -> Bool { row.cell(Table.daily.place(column)) == nil }
    return isNull(.revenueAllWindows, self) && !isNull(.revenueBasis, self)
      && !(isNull(.revenue, self) && isNull(.revenueByCurrency, self))
  }
}
