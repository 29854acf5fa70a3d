/// A query parameter that the API reads. All others, such as `v`, `idfv`, `prev_fine_value` and `p0_window_lock`, are
/// accepted and ignored.
enum Parameter: Int, CaseIterable {
  case sdkKey, platform, bundleID, event
  case currentValue, firstCall, lastCall
  case coarse0, coarse1, coarse2
  case revenue, adRevenue
  case revenue0, revenue1, revenue2
  case adRevenue0, adRevenue1, adRevenue2

  /// The coarse values, by window.
  static let coarse: [Parameter] = [.coarse0, .coarse1, .coarse2]
  /// The revenue totals of in-app purchases, by window.
  static let revenues: [Parameter] = [.revenue0, .revenue1, .revenue2]
  /// The revenue totals of ads, by window.
  static let adRevenues: [Parameter] = [.adRevenue0, .adRevenue1, .adRevenue2]

  /// Returns the parameter's name in `version`. Both versions accept both names.
  func name(in version: ConversionValueVersion) -> String {
    switch version {
    case .v1: legacyName ?? name
    case .v2: name
    }
  }

  private var legacyName: String? {
    switch self {
    case .currentValue: "conversion_value"
    case .firstCall: "first_call_to_skadnetwork_timestamp"
    case .lastCall: "last_call_to_skadnetwork_timestamp"
    case .revenue: "total_revenue_by_currency"
    case .adRevenue: "total_admon_revenue_by_currency"
    case .sdkKey, .platform, .bundleID, .event, .coarse0, .coarse1, .coarse2, .revenue0, .revenue1, .revenue2,
      .adRevenue0, .adRevenue1, .adRevenue2:
      nil
    }
  }

  private var name: String {
    switch self {
    case .sdkKey: "a"
    case .platform: "p"
    case .bundleID: "i"
    case .event: "n"
    case .currentValue: "skan_current_conversion_value"
    case .firstCall: "skan_first_call_to_skadnetwork_timestamp"
    case .lastCall: "skan_last_call_to_skadnetwork_timestamp"
    case .coarse0: "p0_coarse"
    case .coarse1: "p1_coarse"
    case .coarse2: "p2_coarse"
    case .revenue: "skan_total_revenue_by_currency"
    case .adRevenue: "skan_total_admon_revenue_by_currency"
    case .revenue0: "p0_total_iap_revenue"
    case .revenue1: "p1_total_iap_revenue"
    case .revenue2: "p2_total_iap_revenue"
    case .adRevenue0: "p0_total_admon_revenue"
    case .adRevenue1: "p1_total_admon_revenue"
    case .adRevenue2: "p2_total_admon_revenue"
    }
  }
}

extension Parameter {
  /// Finds the parameter with this name in any version, ignoring case; nil if the API does not read it.
  init?(named name: Span<UInt8>) {
    guard name.count < Self.byLength.count else { return nil }
    let match = Self.byLength[name.count].first { $0.name.span.isEqual(toLowercased: name) }
    guard let match else { return nil }
    self = match.parameter
  }

  /// The lower-case names and their parameters, indexed by the number of bytes of the name.
  private static let byLength: [[(name: [UInt8], parameter: Parameter)]] = {
    var lists: [[(name: [UInt8], parameter: Parameter)]] = []
    for parameter in allCases {
      for name in Set(ConversionValueVersion.allCases.map(parameter.name(in:))) {
        while lists.count <= name.utf8.count { lists.append([]) }
        lists[name.utf8.count].append((Array(name.utf8), parameter))
      }
    }
    return lists
  }()
}

extension Span<UInt8> {
  fileprivate func isEqual(toLowercased other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index].lowercased { return false }
    return true
  }
}

extension UInt8 {
  /// The byte, with an ASCII capital letter made a small one.
  fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
