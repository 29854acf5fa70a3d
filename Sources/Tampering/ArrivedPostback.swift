internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

/// The fields and possible signatures of a record that may be a postback. Nothing is verified here.
struct ArrivedPostback {
  let framework: Framework
  /// The values of the signed fields, independent of the form in which they are written.
  private(set) var values: [Field: String] = [:]
  /// The fields whose values came in another JSON type.
  private(set) var retyped: [Field] = []
  /// The values of the unsigned fields, as the tables store them; without those that cannot be read.
  private(set) var unsigned: [Field: String] = [:]
  /// The signatures that the signature text may stand for, the most likely first.
  private(set) var signatures: [ArrivedSignature] = []
  /// The JWS of an AdAttributionKit postback; nil for SKAdNetwork.
  private(set) var jws: ArrivedJWS?

  /// Reads a record: a postback, bare or in its envelope; nil if it is not a JSON object with a signature.
  init?(_ record: [UInt8]) {
    guard var object = try? JSONValue(parsing: record, replacingLoneSurrogates: true), let members = object.members
    else { return nil }
    if let body = Self.body(of: object, members) { object = body }
    if let json = object[Field.jwsString.name], json != .null {
      guard let jws = ArrivedJWS(json) else { return nil }
      framework = .adAttributionKit
      self.jws = jws
      signatures = ArrivedSignature.readings(of: jws.signature, as: .raw)
      read(jws.payload)
    } else {
      guard let text = object[Field.attributionSignature.name]?.text else { return nil }
      framework = .skAdNetwork
      signatures = ArrivedSignature.readings(of: text, as: .der)
      read(object)
    }
    for field in Field.neverSigned {
      guard let (kind, text) = object[field.name]?.scalar else { continue }
      unsigned[field] = field.type.text(kind, text.span)
    }
  }

  /// Returns the postback in an envelope; nil if the object is no envelope, as `PostbackParser` sees it.
  private static func body(of object: JSONValue, _ members: [JSONValue.Member]) -> JSONValue? {
    guard members.allSatisfy({ Field(name: $0.key).map(Envelope.fields.contains) ?? false }) else { return nil }
    if let body = object[Field.body.name] { return body.members == nil ? nil : body }
    var decoded: [UInt8] = []
    guard let text = object[Field.bodyBase64.name]?.text,
      Base64.standard.decode(text.utf8.span, appendingTo: &decoded),
      let body = try? JSONValue(parsing: decoded, replacingLoneSurrogates: true), body.members != nil
    else { return nil }
    return body
  }

  private mutating func read(_ object: JSONValue) {
    for field in framework.signedFields {
      guard let json = object[field.name], let value = field.type.value(json) else { continue }
      // Forwarders write nulls of numbers as empty texts.
      if value.isEmpty, field != .sourceDomain { continue }
      values[field] = value
      if !field.type.takes(json, as: value) { retyped.append(field) }
    }
  }
}

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
    if case .array(let signatures)? = json["signatures"], let first = signatures.first { signed = first }
    guard let header = signed["protected"]?.text, let payload = json["payload"]?.text,
      let signature = signed["signature"]?.text
    else { return nil }
    return ([header, payload, signature], true)
  }
}
