internal import JSON

extension Postback {
  /// Reads the payload of an AdAttributionKit postback, and says which fields it took.
  static func adAttributionKit(
    _ document: JSONDocument,
    _ bytes: [UInt8],
    jws: CompactJWS
  ) throws(PostbackDefect) -> (Postback, taken: FieldSet) {
    var reader = FieldReader(document, of: bytes)
    let adNetworkID = try reader.string(.adNetworkIdentifier)
    let transactionID = try reader.string(.postbackIdentifier)
    let appID = try reader.integer(.advertisedItemIdentifier, in: identifiers)
    let didWin = try reader.boolean(.didWin)
    let index = try reader.integer(.postbackSequenceIndex, in: 0...2)
    var postback = Postback(
      framework: .adAttributionKit,
      version: nil,
      adNetworkID: try reader.required(adNetworkID, .adNetworkIdentifier, "a string"),
      transactionID: try reader.required(transactionID, .postbackIdentifier, "a string"),
      appID: try reader.required(appID, .advertisedItemIdentifier, "an integer"),
      sourceIdentifier: try sourceIdentifier(&reader),
      sourceAppID: try reader.integer(.publisherItemIdentifier, in: identifiers),
      conversionType: try reader.string(.conversionType),
      didWin: try reader.required(didWin, .didWin, "true or false"),
      postbackSequenceIndex: try reader.required(index, .postbackSequenceIndex, "0, 1 or 2"),
      marketplaceIdentifier: try reader.string(.marketplaceIdentifier),
      impressionType: try reader.string(.impressionType),
      signature: .jws(jws)
    )
    postback.coercedFields = reader.coerced
    return (postback, reader.taken)
  }
}

extension Postback {
  /// The spelling of a re-engagement in `conversion-type` that Apple documents, and that tables have.
  public static let reengagement = "re-engagement"
  /// The other spelling of the same in what Apple signs.
  public static let otherReengagement = "reengagement"
}

/// The fields that stand beside the JWS.
struct AdAttributionKitUnsigned {
  let jws: ByteRange
  let conversionValue: Int64?
  let coarseConversionValue: CoarseConversionValue?
  let adInteractionType: AdInteractionType?
  let countryCode: ByteRange?
  let taken: FieldSet
  let coerced: FieldSet

  init(_ document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) {
    var reader = FieldReader(document, of: bytes)
    let text = try reader.string(.jwsString)
    jws = try reader.required(text, .jwsString, "a JWS")
    conversionValue = try reader.integer(.conversionValue, in: 0...63)
    coarseConversionValue = try reader.word(.coarseConversionValue, as: CoarseConversionValue.self)
    adInteractionType = try reader.word(.adInteractionType, as: AdInteractionType.self)
    countryCode = try reader.countryCode(.countryCode)
    taken = reader.taken
    coerced = reader.coerced
  }
}

extension CompactJWS {
  /// The key's name, where the header is one that Apple's postbacks have.
  static func keyID(_ header: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) -> ByteRange {
    var reader = FieldReader(header, of: bytes)
    func malformed(_ field: Field, _ expected: String) -> PostbackDefect {
      PostbackDefect(.malformedJWS, field, expected: expected, found: header.fields[field.rawValue])
    }
    guard let algorithm = try? reader.string(.algorithm), bytes[algorithm.indices].elementsEqual("ES256".utf8) else {
      throw malformed(.algorithm, "ES256, the only algorithm that Apple signs postbacks with")
    }
    guard header.fields[Field.critical.rawValue].kind == .absent else {
      throw malformed(.critical, "no critical extensions")
    }
    guard let keyID = try? reader.string(.keyID) else { throw malformed(.keyID, "the name of the key") }
    return keyID
  }
}
