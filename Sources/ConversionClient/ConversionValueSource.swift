public import Foundation

/// The decision which conversion values fit a user: by a server, or by a model on the device.
public protocol ConversionValueSource: Sendable {
  /// Indicates that the source has values for re-engagements.
  var knowsReengagements: Bool { get }

  /// Returns the values for a user; nil if there are none for the user's activity, so that those in force stay.
  ///
  /// - Throws: An error that ends the update. The client checks the ranges of the values itself.
  func values(for request: ConversionValueRequest) async throws(ConversionClientError) -> ConversionValues?
}

/// The conversion values for a user in a window.
public struct ConversionValues: Hashable, Sendable {
  /// The window that the values belong to, 0 to 2.
  public var window: Int
  /// The fine value, 0 to 63; nil if there is none.
  public var fineValue: Int?
  /// The coarse value; nil if there is none.
  public var coarseValue: CoarseConversionValue?
  /// Indicates that the window is to be locked.
  public var locksWindow: Bool

  /// Conversion values.
  public init(
    window: Int,
    fineValue: Int? = nil,
    coarseValue: CoarseConversionValue? = nil,
    locksWindow: Bool = false
  ) {
    (self.window, self.fineValue) = (window, fineValue)
    (self.coarseValue, self.locksWindow) = (coarseValue, locksWindow)
  }
}

/// The user's activity for which values are asked.
public struct ConversionValueRequest: Sendable {
  /// The activity in a conversion window.
  public struct Activity: Sendable {
    /// The number of times that each event happened, the present one included.
    public let counts: [String: Int]
    /// The revenue from purchases, by ISO 4217 code.
    public let purchases: [String: Decimal]
    /// The revenue from ads, by ISO 4217 code.
    public let adRevenue: [String: Decimal]
  }

  /// The event that just happened.
  public let event: String
  /// The conversion that the values are for.
  public let conversionType: AdConversionType
  /// The index of the current window.
  public let window: Int
  /// The time of the first call of Apple's API in Unix seconds.
  public let firstCall: Int
  /// The whole seconds since the first call.
  public let age: Int
  /// The activity in the windows so far, the current one included.
  public let activity: [Activity]
  /// The state under the names of the parameters of the conversion value API, version 2.
  public let parameters: [String: String]

  /// A request at the time `now`; nil after the last window.
  init?(
    _ event: String,
    _ state: ConversionState,
    at now: Int,
    under framework: AdFramework
  ) throws(ConversionClientError) {
    guard let firstCall = state.firstCall, let window = state.window(at: now, under: framework) else { return nil }
    // Servers allow clocks to differ by as much.
    guard firstCall <= now + 300 else { throw .clockWrong(firstCall: firstCall, now: now) }
    (self.event, self.window, self.firstCall) = (event, window, firstCall)
    conversionType = state.type
    age = max(now - firstCall, 0)
    var state = state
    state.count(event, in: window)
    activity = state.windows[...window].map {
      Activity(counts: $0.counts, purchases: $0.purchases.amounts, adRevenue: $0.ads.amounts)
    }
    // Totals of 0 are sent too, because without a total a server has to assume the revenue that the value means.
    var parameters = state.details(under: .skAdNetwork4)
    parameters["skan_total_revenue_by_currency"] = state.purchases.json
    parameters["skan_total_admon_revenue_by_currency"] = state.ads.json
    for (index, window) in state.windows.enumerated() {
      parameters["p\(index)_total_iap_revenue"] = window.purchases.json
      parameters["p\(index)_total_admon_revenue"] = window.ads.json
    }
    self.parameters = parameters
  }
}
