internal import ConversionModel
internal import JSON

/// What the API says to a request.
public struct ConversionValueAnswer: Hashable, Sendable {
  /// A JSON object, the same for the same request.
  public let body: [UInt8]

  /// The HTTP status of every answer. Of refusals too: published clients read the reason in the body, and send a request
  /// again that is answered with a 4xx or 5xx, which would be refused for the same reason.
  public static let status = 200
  /// The `Content-Type` of every answer.
  public static let contentType = "application/json"

  /// The fine value alone.
  init(fine: Int) {
    body = Self.object { body in
      body.appendMember("conversion_value", fine)
      body.appendMember("status", "ok")
    }
  }

  /// What to tell Apple in a conversion window; a coarse value that is nil is not told.
  init(fine: Int, coarse: CoarseValue?, window: Int, locksWindow: Bool) {
    body = Self.object { body in
      body.appendMember("conversion_value", fine)
      if let coarse { body.appendMember("skan_updated_coarse_value", coarse.rank) }
      if locksWindow {
        body.appendKey("skan_updated_lock_window_value")
        body.append(contentsOf: "true".utf8)
      }
      body.appendMember("postback_sequence_index", window)
      body.appendMember("status", "ok")
    }
  }

  /// Why there is no value.
  init(_ refusal: ConversionValueRefusal) {
    body = Self.object { body in
      body.appendMember("status", "error")
      body.appendMember("reason", refusal.reason)
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

  /// Begins an object, or its next member.
  fileprivate mutating func appendKey(_ key: String) {
    append(isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
    appendJSONString(key)
    append(UInt8(ascii: ":"))
  }
}
