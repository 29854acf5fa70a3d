internal import Base
internal import DailyReports
internal import Tables

/// A question about the daily sums: the rows that count, the dimensions that they are summed by, and the order.
struct CampaignQuery: Sendable {
  /// A condition on a dimension: one of its values.
  struct Condition: Sendable {
    let dimension: DailyDimension
    /// The value; nil for rows without one.
    let value: String?
    let isNegated: Bool
  }

  /// A column of the answer to sort by.
  struct Order: Sendable {
    let column: String
    let isDescending: Bool
  }

  var by: [DailyDimension] = []
  var isByDate = false
  var isInstall = true
  /// The conversion window; nil for all.
  var window: Int? = 0
  var since: Int32?
  var until: Int32?
  var comparison: (since: Int32, until: Int32)?
  var conditions: [Condition] = []
  var contains: String?
  var order: Order
  var limit: Int?
  var offset = 0

  /// The dimensions that are summed by unless others are given.
  private static let usual: [DailyDimension] = [.networkName, .campaignID]

  /// Reads a query about a table with some dimensions.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the address.
  ///   - dimensions: The dimensions of the table.
  ///   - limit: The number of rows unless another one is given; nil for all.
  /// - Throws: The first parameter that is wrong.
  init(_ parameters: ViewParameters, _ dimensions: [DailyDimension], limit: Int?) throws(ViewDefect) {
    try parameters.allow([
      "by", "date_type", "window", "since", "until", "compare_since", "compare_until", "where", "contains", "sort",
      "limit",
      "offset",
    ])
    func dimension(_ name: String, _ parameter: String) throws(ViewDefect) -> DailyDimension {
      guard let found = dimensions.first(where: { $0.column.rawValue == name }) else {
        throw ViewDefect(
          "\(parameter): The daily table is not by \(name.quotedExcerpt). Its dimensions are "
            + "\(dimensions.map(\.column.rawValue).joined(separator: ", "))."
        )
      }
      return found
    }
    if let list = parameters["by"] {
      for name in list.split(separator: ",").map(String.init) {
        if name == "date" { isByDate = true } else { by.append(try dimension(name, "by")) }
      }
      guard Set(by).count == by.count else { throw ViewDefect("by: A dimension is given twice.") }
    } else {
      by = Self.usual.filter(dimensions.contains)
    }
    isInstall = try parameters.word("date_type", of: ["install", "received"]) != "received"
    let window = try parameters.word("window", of: ["0", "1", "2", "all"]) ?? "0"
    self.window = Int(window)
    since = try parameters.day("since")
    until = try parameters.day("until")
    switch (try parameters.day("compare_since"), try parameters.day("compare_until")) {
    case (let since?, let until?): comparison = (since, until)
    case (nil, nil): break
    default: throw ViewDefect("compare_since: Give both compare_since and compare_until.")
    }
    for text in parameters.all("where") {
      guard let colon = text.firstIndex(of: ":") else {
        throw ViewDefect("where: Give a dimension, a colon and a value.")
      }
      var value = text[text.index(after: colon)...]
      let isNegated = value.hasPrefix("!")
      if isNegated { value = value.dropFirst() }
      let column = try dimension(String(text[..<colon]), "where")
      conditions.append(
        Condition(dimension: column, value: value.isEmpty ? nil : String(value), isNegated: isNegated)
      )
    }
    contains = parameters["contains"].flatMap { $0.isEmpty ? nil : $0.lowercased() }
    let sort = parameters["sort"] ?? "-installs"
    order = Order(column: sort.hasPrefix("-") ? String(sort.dropFirst()) : sort, isDescending: sort.hasPrefix("-"))
    self.limit = try parameters.integer("limit", in: 1...5000) ?? limit
    offset = try parameters.integer("offset", in: 0...10_000_000) ?? 0
  }
}
