internal import Base
internal import ConversionModel
internal import JSON

/// The parameters of a request for a conversion value, parsed and checked.
struct ConversionValueRequest {
  /// The SDK key; nil if the request has none.
  let sdkKey: String?
  /// The app's bundle id: letters, digits, `.`, `-` and `_`.
  let bundleID: String
  /// The event that just happened; `__SESSION__` if the app was opened.
  let event: String
  /// The fine value that the app set last, 0 to 63; nil if it has set none.
  let currentValue: Int?
  /// The coarse values that the app set last, by window; nil for a window without one.
  let coarseValues: [CoarseValue?]
  /// The time of the app's first launch, by the device's clock.
  let firstCall: Timestamp
  /// The time of the app's last update of its value; nil if the request does not contain it.
  let lastCall: Timestamp?
  /// The totals of the user's revenue so far.
  let revenue: RevenueTotals

  init(_ parameters: QueryParameters) throws(ConversionValueRefusal) {
    guard try parameters.required(.platform).elementsEqual("iOS".utf8) else { throw .notIOS }
    sdkKey = try parameters[.sdkKey].map { String(decoding: $0, as: UTF8.self) }
    bundleID = try parameters.ascii(.bundleID, ofAtMost: 255) { $0.isInNames }
    event = try parameters.ascii(.event, ofAtMost: 32) { (0x20...0x7E).contains($0) }
    currentValue = try parameters.currentValue()
    var coarseValues: [CoarseValue?] = []
    for parameter in Parameter.coarse {
      coarseValues.append(try parameters.integer(parameter, in: 0...2).flatMap(CoarseValue.init(rank:)))
    }
    self.coarseValues = coarseValues
    guard let firstCall = try parameters.time(.firstCall) else { throw parameters.invalid(.firstCall) }
    self.firstCall = firstCall
    lastCall = try parameters.time(.lastCall)
    revenue = try RevenueTotals(parameters)
  }
}

extension ConversionValueRequest {
  /// Returns the refusal of an update that comes later than `limit` hours. Without a time of the last update, the first
  /// call counts as the last one.
  func windowClosed(after limit: Int) -> ConversionValueRefusal {
    let seconds = ((lastCall ?? firstCall).milliseconds - firstCall.milliseconds) / 1000
    let hours = Int((Double(seconds) / 3600).rounded(.down))
    return .windowClosed(after: limit, hoursToLastUpdate: hours)
  }
}

extension QueryParameters {
  /// Returns the text of a required parameter: 1 to `maximum` bytes, all of which `isAllowed` accepts.
  fileprivate func ascii(
    _ parameter: Parameter,
    ofAtMost maximum: Int,
    _ isAllowed: (UInt8) -> Bool
  ) throws(ConversionValueRefusal) -> String {
    let text = try required(parameter)
    guard (1...maximum).contains(text.count), text.allSatisfy(isAllowed) else { throw invalid(parameter) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a time given in seconds since 1970, up to the end of the year 9999; nil if the parameter is absent.
  fileprivate func time(_ parameter: Parameter) throws(ConversionValueRefusal) -> Timestamp? {
    try integer(parameter, in: 0...253_402_300_799).map { Timestamp(milliseconds: Int64($0) * 1000) }
  }
}

/// The user's total revenue so far, as the app computes it.
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
    /// call, so either total serves for it. The total of a later window follows from that since the first call and those of
    /// the windows before.
    func total(window: Int, sinceFirstCall: Bool) -> Total? {
      if window == 0 { return windows[0] ?? overall }
      if !sinceFirstCall { return windows[window] ?? rest(of: window) }
      if let overall { return overall }
      let parts = windows[...window].compactMap { $0 }
      return parts.isEmpty ? nil : parts.flatMap { $0 }
    }

    /// Indicates that there is revenue since the first call of which a share of the window is not known.
    func isUnknown(window: Int, sinceFirstCall: Bool) -> Bool {
      overall != nil && total(window: window, sinceFirstCall: sinceFirstCall) == nil
    }

    /// The total since the first call without the windows before one; nil if one of these is not known, unless there was no
    /// revenue at all.
    private func rest(of window: Int) -> Total? {
      guard let overall else { return nil }
      let before = windows[..<window].compactMap { $0 }
      guard before.count == window || overall.allSatisfy({ $0.amount <= .zero }) else { return nil }
      return overall.map { part in
        let earlier = before.joined().filter { $0.currency == part.currency }.reduce(Amount.zero) { $0 + $1.amount }
        return (part.currency, max(part.amount - earlier, .zero))
      }
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
    let known = sources(of: kind).compactMap { $0.total(window: window, sinceFirstCall: sinceFirstCall) }
    return known.isEmpty ? nil : known.flatMap { $0 }
  }

  /// Indicates that the app reports revenue of a kind, of which a share in a window is not known.
  func isUnknown(_ kind: RevenueKind, window: Int, sinceFirstCall: Bool) -> Bool {
    sources(of: kind).contains { $0.isUnknown(window: window, sinceFirstCall: sinceFirstCall) }
  }

  private func sources(of kind: RevenueKind) -> [Source] { kind.parts(purchases: purchases, ads: ads) }
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
