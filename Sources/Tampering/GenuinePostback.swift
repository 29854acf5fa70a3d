internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

/// The signed content of a genuine postback.
struct GenuinePostback: Sendable {
  let framework: Framework
  /// The values of its signed fields.
  let values: [Field: String]
  /// The bytes that were signed.
  let message: [UInt8]
  let curve: Curve

  /// Makes the content of a SKAdNetwork postback from its values; nil if its version is unknown.
  init?(_ values: [Field: String]) {
    let content = SKAdNetworkContent(values)
    guard let rules = SKAdNetworkContent.rules(values[.version]) else { return nil }
    var message: [UInt8] = []
    curve = rules.isSignedWithP192 ? .p192 : .p256
    guard content.append(Variant(form: 0), on: curve, to: &message) else { return nil }
    framework = .skAdNetwork
    self.values = values
    self.message = message
  }

  /// Makes the content of an AdAttributionKit postback.
  init(_ values: [Field: String], _ jws: ArrivedJWS) {
    framework = .adAttributionKit
    self.values = values
    var message = Base64.url.encode(jws.headerBytes)
    message.append(UInt8(ascii: "."))
    message += Base64.url.encode(jws.payloadBytes)
    self.message = message
    curve = .p256
  }

  /// The transaction identifier, if the postback has one.
  var transactionID: String? { values[framework == .skAdNetwork ? .transactionID : .postbackIdentifier] }

  /// Tells if the postback's version signs the field. AdAttributionKit's fields are all signed.
  func signs(_ field: Field) -> Bool {
    guard framework == .skAdNetwork, field != .version else { return true }
    return SKAdNetworkContent.rules(values[.version])?.signs(field) ?? false
  }

  /// Returns the postback as JSON with a signature, which is given as r and s.
  func postback(signature: [UInt8]) -> [UInt8] {
    guard framework == .adAttributionKit else {
      return SKAdNetworkContent(values).postback(Variant(form: 0), signature: signature)
    }
    var json: [UInt8] = Array("{\"jws-string\":\"".utf8)
    json += message
    json.append(UInt8(ascii: "."))
    json += Base64.url.encode(signature)
    json += Array("\"}".utf8)
    return json
  }
}
