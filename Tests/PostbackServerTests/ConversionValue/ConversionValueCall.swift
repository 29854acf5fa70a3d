import Base
import ConversionModel
import JSON
import PostbackServer
import Testing

/// A test's request with the parameters of a real client: one hour after the first call of `com.example.app` by default.
struct Call {
  /// The current time in tests, in seconds since 1970.
  static let now = 1_795_000_000

  var version = ConversionValueVersion.v2
  var parameters: [(name: String, value: String)]

  /// Creates a request `age` seconds after the first call. `changes` replaces or adds parameters; nil removes one.
  init(
    _ version: ConversionValueVersion = .v2,
    age: Int = 3600,
    with changes: KeyValuePairs<String, String?> = [:]
  ) {
    self.version = version
    let prefix = version == .v2 ? "skan_" : ""
    parameters = [
      ("a", "key"), ("p", "iOS"), ("i", "com.example.app"), ("v", "17.1"), ("app_v", "1.0"), ("idfa", ""),
      ("idfv", "F2A6D0DA"), ("n", "__SESSION__"),
      (version == .v2 ? "skan_current_conversion_value" : "conversion_value", "0"),
      ("\(prefix)first_call_to_skadnetwork_timestamp", "\(Self.now - age)"),
      ("\(prefix)last_call_to_skadnetwork_timestamp", "\(Self.now - min(age, 60))"),
    ]
    for (name, value) in changes {
      parameters.removeAll { $0.name == name }
      if let value { parameters.append((name, value)) }
    }
  }

  /// The parameters, percent-encoded.
  var query: String { parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&") }
}

extension ConversionValueAPI {
  /// Returns the body of the answer.
  func text(_ call: Call) -> String { text(call.version, query: call.query) }

  /// Returns the body of the answer to this query.
  func text(_ version: ConversionValueVersion = .v2, query: String) -> String {
    let answer = answer(version, query: query, now: Timestamp(milliseconds: Int64(Call.now) * 1000))
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// Creates an API that answers by the models in a text.
  init(_ text: String, rates: CurrencyRates = .none, sdkKeys: Set<String>? = nil) throws {
    self.init(models: try Models(parsing: Array(text.utf8), file: "m.json"), rates: rates, sdkKeys: sdkKeys)
  }
}
