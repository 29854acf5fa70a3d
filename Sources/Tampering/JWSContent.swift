internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

/// The content of an AdAttributionKit postback.
struct JWSContent: SignedContent {
  let framework = Framework.adAttributionKit
  let values: [Field: String]
  let forms: [[Reencoding]]
  let fields = Framework.adAttributionKit.signedFields
  private let ways: [Way]

  /// One form in which header and payload may have been written.
  private struct Way {
    /// The header in base64url, and a period.
    let header: [UInt8]
    let keyID: String
    let payload: Payload
  }

  /// One form of the payload with no value changed.
  private struct Payload {
    let json: [UInt8]
    let members: [Member]
    let escapesSlashes: Bool
  }

  private struct Member {
    /// The field, if it is a known one.
    let field: Field?
    /// Key and value in JSON.
    let json: [UInt8]
  }

  /// Makes the content of an arrived JWS; `keyIDs` are the names of the keys that may have signed.
  init(_ arrived: ArrivedPostback, _ jws: ArrivedJWS, keyIDs: [String]) {
    var values = arrived.values
    values[.keyID] = jws.header[Field.keyID.name]?.text
    self.values = values
    let arrivedKeyID = values[.keyID]
    var ways: [Way] = []
    var forms: [[Reencoding]] = []
    let notes = jws.reencodings.map { Reencoding($0) } + arrived.retyped.map { Reencoding(.retyped, $0) }
    let payloads = Self.payloads(jws)
    // A name that is trusted was hardly put there by somebody else.
    let names = arrivedKeyID.map { keyIDs.contains($0) ? [$0] : keyIDs } ?? keyIDs
    for (payloadIndex, payload) in payloads.enumerated() {
      for (header, keyID) in Self.headers(jws, names) {
        let isSame = header == jws.headerBytes || keyID != arrivedKeyID
        ways.append(Way(header: Base64.url.encode(header) + [UInt8(ascii: ".")], keyID: keyID, payload: payload))
        forms.append(
          notes + (isSame ? [] : [Reencoding(.jwsHeader)]) + (payloadIndex == 0 ? [] : [Reencoding(.jwsPayload)])
        )
      }
    }
    self.ways = ways
    self.forms = forms
  }

  /// The greatest number of places in the payload that are tried for an absent field. Apple's payloads have about ten
  /// members.
  private static let mostPlaces = 16

  /// Returns the payload as it arrived, and as it may have been before a forwarder rewrote it: without white space,
  /// with escaped or plain slashes, with the keys in their order or sorted.
  private static func payloads(_ jws: ArrivedJWS) -> [Payload] {
    let members = jws.payload.members ?? []
    let escaped = jws.payloadBytes.containsEscapedSlash
    let hasSlash = jws.payloadBytes.contains(UInt8(ascii: "/"))
    var payloads: [Payload] = []
    for members in [members, members.sorted { $0.key < $1.key }] {
      for escapesSlashes in hasSlash ? [escaped, !escaped] : [escaped] {
        var json: [UInt8] = []
        JSONValue.object(members).append(to: &json, escapingSlashes: escapesSlashes)
        func add(_ json: [UInt8]) {
          guard !payloads.contains(where: { $0.json == json }) else { return }
          let written = self.members(members, escapesSlashes)
          payloads.append(Payload(json: json, members: written, escapesSlashes: escapesSlashes))
        }
        if payloads.isEmpty { add(jws.payloadBytes) }
        add(json)
      }
    }
    return payloads
  }

  private static func members(_ members: [JSONValue.Member], _ escapesSlashes: Bool) -> [Member] {
    members.map { member in
      var json: [UInt8] = []
      json.appendJSONString(member.key)
      json.append(UInt8(ascii: ":"))
      member.value.append(to: &json, escapingSlashes: escapesSlashes)
      return Member(field: Field(name: member.key), json: json)
    }
  }

  /// Returns the header as it arrived, if it names a trusted key, and in the forms in which Apple's devices write it.
  private static func headers(_ jws: ArrivedJWS, _ keyIDs: [String]) -> [(json: [UInt8], keyID: String)] {
    var headers: [(json: [UInt8], keyID: String)] = []
    if let keyID = jws.header[Field.keyID.name]?.text, keyIDs.contains(keyID) {
      headers.append((jws.headerBytes, keyID))
    }
    for keyID in keyIDs {
      let members = [(Field.keyID.name, keyID), (Field.algorithm.name, "ES256")]
      for (members, escapesSlashes) in [
        (members, true), (members, false), (members.reversed(), false), (members.reversed(), true),
      ] {
        var json: [UInt8] = []
        let object = JSONValue.object(members.map { .init(key: $0.0, value: .string($0.1)) })
        object.append(to: &json, escapingSlashes: escapesSlashes)
        if !headers.contains(where: { $0.json == json }) { headers.append((json, keyID)) }
      }
    }
    return headers
  }

  func append(_ variant: Variant, on curve: Curve, to message: inout [UInt8]) -> Bool {
    guard curve == .p256 else { return false }
    let way = ways[variant.form]
    message.append(copying: way.header.span)
    let payload = payload(variant)
    Base64.url.encode(payload.span, appendingTo: &message)
    return true
  }

  private func payload(_ variant: Variant) -> [UInt8] {
    let way = ways[variant.form].payload
    guard !variant.changes.isEmpty else { return way.json }
    var json: [UInt8] = []
    json.reserveCapacity(way.json.count + 64)
    func append(_ member: [UInt8]) {
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      json.append(copying: member.span)
    }
    func append(_ change: Change) {
      guard let value = change.value else { return }
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      json.appendJSONString(change.field.name)
      json.append(UInt8(ascii: ":"))
      change.field.type.append(value, to: &json, escapingSlashes: way.escapesSlashes)
    }
    for place in 0...way.members.count {
      for change in variant.changes where change.place == place && values[change.field] == nil { append(change) }
      guard place < way.members.count else { break }
      let member = way.members[place]
      if let change = variant.changes.first(where: { $0.field == member.field && values[$0.field] != nil }) {
        append(change)
      } else if !variant.changes.contains(where: { $0.field == member.field }) {
        append(member.json)
      }
    }
    if json.isEmpty { json.append(UInt8(ascii: "{")) }
    json.append(UInt8(ascii: "}"))
    return json
  }

  func postback(_ variant: Variant, signature: [UInt8]) -> [UInt8] {
    var message: [UInt8] = []
    _ = append(variant, on: .p256, to: &message)
    return Self.postback(message, signature: signature)
  }

  /// Returns the postback of signed bytes as JSON with their signature, which is given as r and s.
  static func postback(_ message: [UInt8], signature: [UInt8]) -> [UInt8] {
    let jws = message + [UInt8(ascii: ".")] + Base64.url.encode(signature)
    return Array("{\"\(Field.jwsString.name)\":\"".utf8) + jws + Array("\"}".utf8)
  }

  /// Changes that add an absent field, at each place of the payload, because devices write the keys in no fixed order.
  var special: [[[Change]]] {
    fields.filter { values[$0] == nil }.map { field in
      Alternatives.few(field).flatMap { value in
        (0...min(ways.first?.payload.members.count ?? 0, Self.mostPlaces)).map {
          [Change(field: field, value: value, place: $0)]
        }
      }
    }
  }

  /// Only the first form is likely, because an edit of the payload seldom changes the header.
  var likelyFormCount: Int { min(forms.count, 1) }

  func implied(by form: Int) -> [Change] {
    ways[form].keyID == values[.keyID] ? [] : [Change(field: .keyID, value: ways[form].keyID)]
  }
}

extension [UInt8] {
  fileprivate var containsEscapedSlash: Bool {
    indices.dropFirst().contains { self[$0] == UInt8(ascii: "/") && self[$0 - 1] == UInt8(ascii: "\\") }
  }
}
