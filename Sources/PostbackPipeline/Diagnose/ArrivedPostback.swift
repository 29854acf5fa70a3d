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
    // As `PostbackParser` has it: an envelope has a body and no keys of its own.
    if let body = object.member(Field.body.name), body.members != nil, members.allSatisfy({ Self.isOfEnvelope($0.key) })
    {
      object = body
    }
    if let json = object.member(Field.jwsString.name), json != .null {
      guard let jws = ArrivedJWS(json) else { return nil }
      framework = .adAttributionKit
      self.jws = jws
      signatures = ArrivedSignature.readings(of: jws.signature, as: .raw)
      read(jws.payload)
    } else {
      guard let text = object.member(Field.attributionSignature.name)?.text else { return nil }
      framework = .skAdNetwork
      signatures = ArrivedSignature.readings(of: text, as: .der)
      read(object)
    }
    for field in Field.neverSigned {
      guard let (kind, text) = object.member(field.name)?.scalar else { continue }
      unsigned[field] = field.type.text(kind, text.span)
    }
  }

  private static func isOfEnvelope(_ key: String) -> Bool {
    [Field.receivedAt, .channel, .forwarder, .remoteAddress, .query, .body].contains { $0.name == key }
  }

  private mutating func read(_ object: JSONValue) {
    for field in Field.signed(by: framework) {
      guard let json = object.member(field.name), let value = SignedType(field).value(json) else { continue }
      // Forwarders write nulls of numbers as empty texts.
      if value.isEmpty, field != .sourceDomain { continue }
      values[field] = value
      if !SignedType(field).takes(json, as: value) { retyped.append(field) }
    }
  }
}

extension Field {
  /// Returns the fields that at least one version of the framework signs.
  static func signed(by framework: Framework) -> [Field] {
    switch framework {
    case .skAdNetwork:
      [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .appID, .transactionID, .redownload, .sourceAppID,
        .sourceDomain, .fidelityType, .didWin, .postbackSequenceIndex,
      ]
    case .adAttributionKit:
      [
        .adNetworkIdentifier, .sourceIdentifier, .advertisedItemIdentifier, .postbackIdentifier,
        .publisherItemIdentifier, .marketplaceIdentifier, .conversionType, .impressionType, .didWin,
        .postbackSequenceIndex,
      ]
    }
  }
}
