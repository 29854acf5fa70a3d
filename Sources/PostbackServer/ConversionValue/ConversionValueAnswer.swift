internal import ConversionModel
internal import JSON

/// The answer of the conversion value API to a request: a JSON body.
public struct ConversionValueAnswer: Hashable, Sendable {
  /// The JSON object; equal requests at the same time have equal bodies.
  public let body: [UInt8]
  /// The reason why there is no value; nil if there is one.
  let reason: String?

  /// The HTTP status of every answer, including refusals. Published clients read the reason in the body, and they
  /// repeat a request that was answered with a 4xx or 5xx, which would be refused again for the same reason.
  public static let status = 200
  /// The `Content-Type` of every answer.
  public static let contentType = "application/json"

  /// Creates the answer of version 1: the fine value alone.
  init(fine: Int) {
    reason = nil
    body = Self.object { body in
      body.appendMember("conversion_value", fine)
      body.appendMember("status", "ok")
    }
  }

  /// Creates the answer of version 2: the values to pass to Apple in a conversion window. A coarse value of nil is left
  /// out. With `lacksRevenue` it says that the revenue of the window is not known, so that the values are the least ones.
  init(fine: Int, coarse: CoarseValue?, window: Int, locksWindow: Bool, lacksRevenue: Bool = false) {
    reason = nil
    body = Self.object { body in
      body.appendMember("conversion_value", fine)
      if let coarse { body.appendMember("skan_updated_coarse_value", coarse.rank) }
      if locksWindow {
        body.appendKey("skan_updated_lock_window_value")
        body.append(contentsOf: "true".utf8)
      }
      body.appendMember("postback_sequence_index", window)
      if lacksRevenue {
        body.appendMember(
          "warning",
          "The revenue of window \(window) is not known. Send p\(window)_total_iap_revenue and p\(window)_total_admon_revenue, "
            + "or those of the windows before."
        )
      }
      body.appendMember("status", "ok")
    }
  }

  /// Creates the answer to a request that gets no value, with the reason.
  init(_ refusal: ConversionValueRefusal) { self.init(refusing: refusal.reason) }

  /// Creates the answer to a request that gets no value, for this reason.
  init(refusing reason: String) {
    self.reason = reason
    body = Self.object { body in
      body.appendMember("status", "error")
      body.appendMember("reason", reason)
    }
  }

  /// Creates the answer of the test endpoint: a value, or an empty text after the last one.
  init(test value: Int?) {
    reason = nil
    body = Self.object { body in
      if let value { body.appendMember("conversion_value", value) } else { body.appendMember("conversion_value", "") }
      body.appendMember("status", "ok")
    }
  }

  /// Creates the answer to a session or an event that was received, and that gets no value for this reason.
  init(receivedWithout reason: String) {
    self.reason = reason
    body = Self.object { body in
      body.appendMember("status", "ok")
      body.appendMember("reason", reason)
    }
  }

  private static func object(_ appendMembers: (inout [UInt8]) -> Void) -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(160)
    appendMembers(&body)
    body.append(UInt8(ascii: "}"))
    return body
  }
}

extension [UInt8] {
  fileprivate mutating func appendMember(_ key: String, _ value: Int) {
    appendKey(key)
    appendDecimal(Int64(value))
  }

  fileprivate mutating func appendMember(_ key: String, _ value: String) {
    appendKey(key)
    appendJSONString(value)
  }

  /// Appends the start of an object, or of its next member: the key and the colon.
  fileprivate mutating func appendKey(_ key: String) {
    append(isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
    appendJSONString(key)
    append(UInt8(ascii: ":"))
  }
}

/// The reason that a request gets no conversion value.
enum ConversionValueRefusal: Error, Hashable {
  /// `p` is not `iOS`.
  case notIOS
  /// The parameter with this name is missing, occurs twice, or is malformed.
  case invalidParameter(String)
  /// No model is in force for the app of this bundle id at the first call.
  case noModel(app: String)
  /// The model does not describe the conversion window with this index.
  case windowNotDescribed(Int)
  /// The value cannot change any more, because the time for updates is over. `after` is that time in hours;
  /// `hoursToLastUpdate` counts from the first call to the last update, as the published API reports it.
  case windowClosed(after: Int, hoursToLastUpdate: Int)
  /// The revenue cannot be converted into the currency of the model, for the reason in the second value. `app` is the
  /// bundle id.
  case noRate(app: String, String)

  /// The reason in the words of the published API, which its clients recognise.
  var reason: String {
    switch self {
    case .notIOS: "Unknown platform error - Non iOS platform"
    case .invalidParameter(let name): "Conversion Management: Invalid parameter \(name) given"
    case .noModel(let app): "Conversion Management: Conversion Model not found for app: \(app)"
    case .windowNotDescribed(let index): "Invalid measurement period: \(index)"
    case .windowClosed(let limit, let hours):
      "More than \(limit) hours have past since last conversion update (\(hours) hours), the update window is closed"
    case .noRate(let app, let detail): "Conversion Management: Cannot find currency of owner: \(app) (\(detail))"
    }
  }
}
