import JSON

/// What clients of version 1 of the API do on a device, for SKAdNetwork 3 and before, and what Apple keeps there: one fine
/// value that only rises, and a timer of 24 hours that each rise starts anew.
struct SKAN3Client {
  /// The first launch, in seconds since 1970.
  let firstCall: Int
  /// When the value rose last.
  private(set) var lastCall: Int
  /// The value that the postback will have.
  private(set) var value = 0
  private var total: [String: Double] = [:]

  init(firstCall: Int) {
    self.firstCall = firstCall
    lastCall = firstCall
  }

  /// The last moment at which the value could rise.
  var finalTime: Int { lastCall + 24 * 3600 }

  /// Adds revenue to the total.
  mutating func earn(_ amount: Double, _ currency: String) { total[currency, default: 0] += amount }

  /// Says an event, and takes over what comes back. Also when Apple's timer is over: that the value is final then the API
  /// has to know.
  mutating func report(_ event: String, to service: some ConversionValueService, at time: Int) throws {
    let offset = service.clockOffset(at: time)
    let total = "{" + total.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    let query =
      "a=key&p=iOS&i=com.example.app&n=\(event)&conversion_value=\(value)"
      + "&first_call_to_skadnetwork_timestamp=\(firstCall + offset)"
      + "&last_call_to_skadnetwork_timestamp=\(lastCall + offset)&total_revenue_by_currency=\(total.percentEncoded)"
    guard let body = try service.get("/api/v1/conversion_value", query: query, at: time),
      case .object(let members) = try JSONValue(parsing: body),
      let new = members.first(where: { $0.key == "conversion_value" })?.value.integer
    else { return }
    if new != value {
      value = new
      lastCall = time
    }
  }
}
