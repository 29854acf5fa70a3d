internal import ConversionModel
internal import JSON

/// The user's revenue so far, as totals that the app computes.
struct RevenueTotals {
  /// A total with one amount for each currency.
  typealias Total = [(currency: String, amount: Amount)]

  /// The totals of one source of revenue; nil if the app does not report them.
  private struct Source {
    let overall: Total?
    /// The totals of each conversion window.
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

    /// Returns the total so far in the window, or since the first call; nil if unknown. Window 0 begins at the first
    /// call, so either total serves for it.
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

  /// Returns the total of a kind of revenue in a window, or since the first call; nil if the app does not report it.
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
  /// Reads a total in JSON, such as `{"USD":9.99,"EUR":5}`; nil if the parameter is absent.
  ///
  /// Apps add with binary floating point and send 19.979999999999997, so amounts are rounded to six fraction digits.
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
  /// Indicates that the text has the form of an ISO 4217 code: three capital letters.
  fileprivate var isCurrencyCode: Bool {
    utf8.count == 3 && utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
