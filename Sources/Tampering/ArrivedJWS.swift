internal import Base
internal import JSON

/// A decoded JWS, which may be written in a form that is not Apple's.
struct ArrivedJWS {
  /// The header's bytes, decoded.
  let headerBytes: [UInt8]
  let header: JSONValue
  /// The payload's bytes, decoded.
  let payloadBytes: [UInt8]
  let payload: JSONValue
  /// The signature as text, not decoded.
  let signature: String
  /// The differences of the JWS as a whole from the form that Apple writes.
  let reencodings: [Reencoding.Kind]

  /// Reads a JWS; nil if header and payload are not JSON objects.
  init?(_ json: JSONValue) {
    guard let (parts, isObject) = Self.parts(of: json) else { return nil }
    var isExact = true
    func decoded(_ text: String) -> [UInt8]? {
      var bytes: [UInt8] = []
      if Base64.url.decode(Array(text.utf8).span, appendingTo: &bytes) { return bytes }
      isExact = false
      var digits: [UInt8] = []
      for byte in (text.percentDecoded ?? text).utf8 where byte > 0x20 && byte != UInt8(ascii: "=") {
        switch byte {
        case UInt8(ascii: "+"): digits.append(UInt8(ascii: "-"))
        case UInt8(ascii: "/"): digits.append(UInt8(ascii: "_"))
        default: digits.append(byte)
        }
      }
      return Base64.url.decode(digits.span, appendingTo: &bytes) ? bytes : nil
    }
    guard let headerBytes = decoded(parts[0]), let payloadBytes = decoded(parts[1]),
      let header = try? JSONValue(parsing: headerBytes), header.members != nil,
      let payload = try? JSONValue(parsing: payloadBytes), payload.members != nil
    else { return nil }
    self.headerBytes = headerBytes
    self.header = header
    self.payloadBytes = payloadBytes
    self.payload = payload
    signature = parts[2]
    reencodings = (isObject ? [.jwsObject] : []) + (isExact ? [] : [.jwsBase64])
  }

  /// Header, payload and signature, of a JWS in compact, flattened or general serialization.
  private static func parts(of json: JSONValue) -> (parts: [String], isObject: Bool)? {
    if let text = json.text {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      return parts.count == 3 ? (parts, false) : nil
    }
    var signed = json
    if case .array(let signatures)? = json.member("signatures"), let first = signatures.first { signed = first }
    guard let header = signed.member("protected")?.text, let payload = json.member("payload")?.text,
      let signature = signed.member("signature")?.text
    else { return nil }
    return ([header, payload, signature], true)
  }
}
