internal import ConversionModel

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
  /// The time of the app's last update of its value; nil if the request does not say.
  let lastCall: Timestamp?
  /// The totals of the user's revenue so far.
  let revenue: RevenueTotals

  init(_ parameters: QueryParameters) throws(ConversionValueRefusal) {
    guard try parameters.required(.platform).elementsEqual("iOS".utf8) else { throw .notIOS }
    sdkKey = try parameters[.sdkKey].map { String(decoding: $0, as: UTF8.self) }
    bundleID = try parameters.ascii(.bundleID, ofAtMost: 255) { $0.isInBundleIDs }
    event = try parameters.ascii(.event, ofAtMost: 32) { (0x20...0x7E).contains($0) }
    currentValue = try parameters.integer(.currentValue, in: 0...63)
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

extension UInt8 {
  fileprivate var isInBundleIDs: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
