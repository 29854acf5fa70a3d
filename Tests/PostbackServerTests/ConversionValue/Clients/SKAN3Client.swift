import Base
import JSON

/// A client of version 1 of the API for SKAdNetwork 1 to 3, with the state that Apple keeps on the device: one fine value
/// that only rises, and a timer of 24 hours that each rise restarts.
struct SKAN3Client {
  /// The time of the first launch, in seconds since 1970.
  let firstCall: Int
  /// The time at which the value last rose.
  private(set) var lastCall: Int
  /// The value of the postback.
  private(set) var value = 0
  private var total: [String: Double] = [:]

  init(firstCall: Int) {
    self.firstCall = firstCall
    lastCall = firstCall
  }

  /// The last time at which the value could rise.
  var finalTime: Int { lastCall + 24 * 3600 }

  /// Adds revenue to the total.
  mutating func earn(_ amount: Double, _ currency: String) { total[currency, default: 0] += amount }

  /// Reports an event and stores the value of the answer, also after the end of Apple's timer: the API must know that the
  /// value is final then.
  mutating func report(_ event: String, to service: some ConversionValueService, at time: Int) throws {
    let offset = service.clockOffset(at: time)
    let total = "{" + total.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    let query =
      "a=key&p=iOS&i=com.example.app&n=\(event)&conversion_value=\(value)"
      + "&first_call_to_skadnetwork_timestamp=\(firstCall + offset)"
      + "&last_call_to_skadnetwork_timestamp=\(lastCall + offset)&total_revenue_by_currency=\(total.percentEncoded)"
    guard let body = try service.get("/api/v1/conversion_value", query: query, at: time),
      case .object(let members) = try JSONValue(parsing: body),
      let new = members.first(where: { $0.key == "conversion_value" })?.value.wholeNumber
    else { return }
    if new != value {
      value = new
      lastCall = time
    }
  }
}
