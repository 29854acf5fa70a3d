internal import Base
internal import SKAdNetwork

/// The parameters of a query that the API reads, decoded by the rule of `QueryParameter`. One that cannot be decoded, or is
/// there twice, is refused, while a postback keeps what cannot be decoded as it came.
struct QueryParameters {
  private enum Value {
    case absent
    case text(Range<Int>)
    /// The parameter occurs twice, or has an escape that cannot be decoded.
    case broken
  }

  private let version: ConversionValueVersion
  /// The decoded values, one after the other; `values` holds their ranges.
  private var bytes: [UInt8] = []
  private var values = [Value](repeating: .absent, count: Parameter.allCases.count)

  /// Reads the text after the `?` of a request to `version`.
  init(_ query: String, version: ConversionValueVersion) {
    self.version = version
    bytes.reserveCapacity(query.utf8.count)
    let text = query.utf8.span
    var start = 0
    for index in text.indices where text[index] == UInt8(ascii: "&") {
      read(text.extracting(start..<index))
      start = index + 1
    }
    read(text.extracting(start..<text.count))
  }

  /// The decoded value of a parameter; nil if it is absent. Throws if it is broken.
  subscript(parameter: Parameter) -> ArraySlice<UInt8>? {
    get throws(ConversionValueRefusal) {
      switch values[parameter.rawValue] {
      case .absent: nil
      case .text(let range): bytes[range]
      case .broken: throw invalid(parameter)
      }
    }
  }

  /// Indicates that a parameter is absent or empty.
  func isEmpty(_ parameter: Parameter) throws(ConversionValueRefusal) -> Bool { try self[parameter]?.isEmpty ?? true }

  /// Returns the fine value that the app set last; nil if there is none. An app for SKAdNetwork 3 without one sends the name
  /// alone, as NSURLQueryItem writes a value of nil, or an empty value.
  func currentValue() throws(ConversionValueRefusal) -> Int? {
    if version == .v1, try isEmpty(.currentValue) { return nil }
    return try integer(.currentValue, in: 0...63)
  }

  /// Returns the value of a required parameter; throws if it is absent or broken.
  func required(_ parameter: Parameter) throws(ConversionValueRefusal) -> ArraySlice<UInt8> {
    guard let value = try self[parameter] else { throw invalid(parameter) }
    return value
  }

  /// Returns the decimal integer in a parameter, which must be in `range`; nil if it is absent.
  func integer(_ parameter: Parameter, in range: ClosedRange<Int>) throws(ConversionValueRefusal) -> Int? {
    guard let digits = try self[parameter] else { return nil }
    guard (1...18).contains(digits.count) else { throw invalid(parameter) }
    var value = 0
    for byte in digits {
      guard let digit = byte.decimalDigit else { throw invalid(parameter) }
      value = value * 10 + digit
    }
    guard range.contains(value) else { throw invalid(parameter) }
    return value
  }

  /// Returns the refusal of a request whose parameter is missing or malformed.
  func invalid(_ parameter: Parameter) -> ConversionValueRefusal { .invalidParameter(parameter.name(in: version)) }

  /// Reads `name=value`; a name without `=` has the empty value.
  private mutating func read(_ pair: Span<UInt8>) {
    let nameEnd = pair.indices.first { pair[$0] == UInt8(ascii: "=") } ?? pair.count
    let start = bytes.count
    let isNameValid = QueryParameter.appendDecoded(pair.extracting(0..<nameEnd), to: &bytes)
    let parameter = isNameValid ? Parameter(named: bytes.span.extracting(start..<bytes.count)) : nil
    bytes.removeSubrange(start...)
    guard let parameter else { return }
    guard case .absent = values[parameter.rawValue],
      QueryParameter.appendDecoded(pair.extracting(min(nameEnd + 1, pair.count)..<pair.count), to: &bytes)
    else {
      values[parameter.rawValue] = .broken
      return
    }
    values[parameter.rawValue] = .text(start..<bytes.count)
  }
}

extension UInt8 {
  fileprivate var decimalDigit: Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
  }
}

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

  /// The names that apps for SKAdNetwork 3 alone use.
  static let metadataNames = Set(allCases.compactMap(\.metadataName))

  /// The name in the metadata that apps for SKAdNetwork 3 send with their events.
  private var metadataName: String? {
    switch self {
    case .currentValue: "skan_conversion_value"
    case .firstCall: "skan_first_call_timestamp"
    case .lastCall: "skan_last_call_timestamp"
    case .sdkKey, .platform, .bundleID, .event, .coarse0, .coarse1, .coarse2, .revenue, .adRevenue, .revenue0,
      .revenue1,
      .revenue2, .adRevenue0, .adRevenue1, .adRevenue2:
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
      let names = ConversionValueVersion.allCases.map(parameter.name(in:)) + [parameter.metadataName].compactMap(\.self)
      for name in Set(names) {
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
    for index in indices where self[index] != other[index].asciiLowercased { return false }
    return true
  }
}
