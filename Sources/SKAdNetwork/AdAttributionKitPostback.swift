internal import JSON

extension Postback {
  /// Reads the payload of an AdAttributionKit postback; returns it with the fields that were read.
  static func adAttributionKit(
    _ document: JSONDocument,
    _ bytes: [UInt8],
    jws: CompactJWS
  ) throws(PostbackDefect) -> (Postback, taken: FieldSet) {
    var reader = FieldReader(document, of: bytes, covered: .all)
    let adNetworkID = try reader.string(.adNetworkIdentifier)
    let transactionID = try reader.string(.postbackIdentifier)
    let appID = try reader.integer(.advertisedItemIdentifier)
    let didWin = try reader.boolean(.didWin)
    let index = try reader.integer(.postbackSequenceIndex)
    var postback = Postback(
      framework: .adAttributionKit,
      version: nil,
      adNetworkID: try reader.required(adNetworkID, .adNetworkIdentifier, "a string"),
      transactionID: try reader.required(transactionID, .postbackIdentifier, "a string"),
      appID: try reader.required(appID, .advertisedItemIdentifier, "an integer"),
      sourceIdentifier: try reader.sourceIdentifier(.sourceIdentifier),
      sourceAppID: try reader.integer(.publisherItemIdentifier),
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
  /// The spelling of a re-engagement in `conversion-type` that Apple documents, and that the tables use.
  public static let reengagement = "re-engagement"
  /// The other spelling of a re-engagement that occurs in what Apple signs.
  public static let otherReengagement = "reengagement"
}

/// The fields beside the JWS, which are not signed.
struct AdAttributionKitUnsigned {
  let jws: ByteRange
  private let conversionValue: Int64?
  private let coarseConversionValue: CoarseConversionValue?
  private let adInteractionType: AdInteractionType?
  private let countryCode: CountryCode?
  private let coerced: FieldSet
  private let unreadable: FieldSet
  /// The fields that were read; a field that could not be read is not among them.
  let taken: FieldSet

  init(_ document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) {
    var reader = FieldReader(document, of: bytes, covered: Self.covered)
    let text = try reader.string(.jwsString)
    jws = try reader.required(text, .jwsString, "a JWS")
    conversionValue = try reader.integer(.conversionValue)
    coarseConversionValue = try reader.word(.coarseConversionValue, as: CoarseConversionValue.self)
    adInteractionType = try reader.word(.adInteractionType, as: AdInteractionType.self)
    countryCode = try reader.countryCode(.countryCode)
    coerced = reader.coerced
    unreadable = reader.unreadable
    taken = reader.taken
  }

  private static let covered = FieldSet([.jwsString])

  /// Copies the fields into the postback that was read from the JWS.
  func put(into postback: inout Postback) {
    postback.conversionValue = conversionValue
    postback.coarseConversionValue = coarseConversionValue
    postback.adInteractionType = adInteractionType
    postback.countryCode = countryCode
    postback.coercedFields.formUnion(coerced)
    postback.unreadableFields = unreadable
  }
}

extension CompactJWS {
  /// Returns the `kid` of a JWS header; throws where the header is not one that Apple's postbacks have.
  static func keyID(_ header: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) -> ByteRange {
    var reader = FieldReader(header, of: bytes, covered: .all)
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
