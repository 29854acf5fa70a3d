internal import JSON
internal import SKAdNetwork
internal import Signatures

/// A record taken apart without a judgement: what may be a postback, and what it may say.
struct ArrivedPostback {
  let framework: Framework
  /// What the signed fields say, however they are written.
  private(set) var values: [Field: String] = [:]
  /// The fields whose values came as another type.
  private(set) var retyped: [Field] = []
  /// What the fields say that nobody signs, as tables have it: nothing where it cannot be read.
  private(set) var unsigned: [Field: String] = [:]
  /// What the signature may be.
  private(set) var signatures: [ArrivedSignature] = []
  /// Of AdAttributionKit, the JWS.
  private(set) var jws: ArrivedJWS?

  /// Reads a record: a postback, bare or in its envelope. nil where it is no JSON object with a signature.
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
    for field in [Field.conversionValue, .coarseConversionValue, .countryCode, .adInteractionType] {
      guard let (kind, text) = object.member(field.name)?.scalar else { continue }
      unsigned[field] = field.unsignedText(kind, text.span)
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
  /// The fields that some version of the framework signs.
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
