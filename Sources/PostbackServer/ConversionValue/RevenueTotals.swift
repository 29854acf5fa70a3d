internal import ConversionModel
internal import JSON

/// The revenue of a user so far, as the app adds it up.
struct RevenueTotals {
  /// A total by currency.
  typealias Total = [(currency: String, amount: Amount)]

  /// The totals of one source of revenue; nil where the app does not say them.
  private struct Source {
    let overall: Total?
    /// By window.
    let windows: [Total?]

    init(
      _ parameters: QueryParameters,
      overall: Parameter,
      windows: [Parameter]
    ) throws(ConversionValueRefusal) {
      self.overall = try parameters.total(overall)
      var totals: [Total?] = []
      for parameter in windows { totals.append(try parameters.total(parameter)) }
      self.windows = totals
    }

    /// Up to now in the window, or since the first call. Window 0 begins with that call, so that either total is both.
    func total(window: Int, sinceFirstCall: Bool) -> Total? {
      if window == 0 { return windows[0] ?? overall }
      if !sinceFirstCall { return windows[window] }
      if let overall { return overall }
      let parts = windows[...window].compactMap { $0 }
      return parts.isEmpty ? nil : parts.flatMap { $0 }
    }
  }

  private let purchases: Source
  private let ads: Source

  init(_ parameters: QueryParameters) throws(ConversionValueRefusal) {
    purchases = try Source(parameters, overall: .revenue, windows: Parameter.revenues)
    ads = try Source(parameters, overall: .adRevenue, windows: Parameter.adRevenues)
  }

  /// The total of a kind in a window, or since the first call; nil where the app does not say it.
  func total(of kind: RevenueKind, window: Int, sinceFirstCall: Bool) -> Total? {
    let totals =
      switch kind {
      case .inAppPurchases: [purchases]
      case .adMonetization: [ads]
      case .all: [purchases, ads]
      }
    let known = totals.compactMap { $0.total(window: window, sinceFirstCall: sinceFirstCall) }
    return known.isEmpty ? nil : known.flatMap { $0 }
  }
}

extension QueryParameters {
  /// A total as JSON: `{"USD":9.99,"EUR":5}`. Nil where it is not there.
  ///
  /// Apps add with binary floating point and send 19.979999999999997: amounts are rounded to six fraction digits.
  fileprivate func total(_ parameter: Parameter) throws(ConversionValueRefusal) -> RevenueTotals.Total? {
    guard let text = try self[parameter] else { return nil }
    guard case .object(let members) = try? JSONValue(parsing: Array(text)) else { throw invalid(parameter) }
    var total: RevenueTotals.Total = []
    for member in members {
      guard member.key.isCurrencyCode, case .number(let digits) = member.value,
        let amount = try? Amount(rounding: digits)
      else { throw invalid(parameter) }
      total.append((member.key, amount))
    }
    return total
  }
}

extension String {
  /// Whether this is of the form of an ISO 4217 code.
  fileprivate var isCurrencyCode: Bool {
    utf8.count == 3 && utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
