internal import JSON

extension Postback {
  /// Reads a SKAdNetwork postback, and says which fields it took.
  static func skAdNetwork(
    _ document: JSONDocument,
    _ bytes: [UInt8]
  ) throws(PostbackDefect) -> (Postback, taken: FieldSet) {
    var reader = FieldReader(document, of: bytes)
    let version = try version(&reader)
    let signature = try reader.string(.attributionSignature)
    let adNetworkID = try reader.string(.adNetworkID)
    let transactionID = try reader.string(.transactionID)
    let appID = try reader.integer(.appID, in: identifiers)
    var postback = Postback(
      framework: .skAdNetwork,
      version: version,
      adNetworkID: try reader.required(adNetworkID, .adNetworkID, "a string"),
      transactionID: try reader.required(transactionID, .transactionID, "a string"),
      appID: try reader.required(appID, .appID, "an integer"),
      sourceAppID: try reader.integer(.sourceAppID, in: identifiers),
      redownload: try reader.boolean(.redownload),
      countryCode: try reader.countryCode(.countryCode),
      signature: .attribution(
        try reader.required(signature, .attributionSignature, "Apple's signature, DER in base64")
      )
    )
    if version >= .v2_0 {
      _ = try reader.required(postback.redownload, .redownload, "true or false")
      postback.conversionValue = try reader.integer(.conversionValue, in: 0...63)
    }
    if version >= .v2_2 {
      let fidelityType = try reader.integer(.fidelityType, in: 0...1)
      postback.fidelityType = try reader.required(fidelityType, .fidelityType, "0 or 1")
    }
    if version >= .v3_0 {
      let didWin = try reader.boolean(.didWin)
      postback.didWin = try reader.required(didWin, .didWin, "true or false")
    }
    if version >= .v4_0 {
      let source = try sourceIdentifier(&reader)
      postback.sourceIdentifier = try reader.required(source, .sourceIdentifier, "a string of two to four digits")
      // Apple sends one of the two. Beside a source app a domain is not signed, so it stays an extra.
      if (postback.sourceAppID ?? 0) == 0 { postback.sourceDomain = try sourceDomain(&reader) }
      let index = try reader.integer(.postbackSequenceIndex, in: 0...2)
      postback.postbackSequenceIndex = try reader.required(index, .postbackSequenceIndex, "0, 1 or 2")
      postback.coarseConversionValue = try reader.word(.coarseConversionValue, as: CoarseConversionValue.self)
    } else {
      let campaignID = try reader.integer(.campaignID, in: 1...100)
      postback.campaignID = try reader.required(campaignID, .campaignID, "an integer from 1 to 100")
    }
    postback.coercedFields = reader.coerced
    return (postback, reader.taken)
  }

  static let identifiers: ClosedRange<Int64> = 0...Int64.max

  private static func version(_ reader: inout FieldReader) throws(PostbackDefect) -> Version {
    guard let text = try reader.string(.version) else { return .v1_0 }
    for version in Version.allCases where reader.bytes[text.indices].elementsEqual(version.rawValue.utf8) {
      return version
    }
    let isLater = Version.isLater(reader.bytes[text.indices])
    throw PostbackDefect(
      isLater ? .unsupportedVersion : .unknownVersion,
      .version,
      expected: "one of " + Version.allCases.map(\.rawValue).joined(separator: ", "),
      found: reader.document.fields[Field.version.rawValue],
      detail: isLater ? "the version is later than those that this program knows; look for an update" : nil
    )
  }

  /// Both have the same place in what is signed: a signed source app must not pass as a domain.
  private static func sourceDomain(_ reader: inout FieldReader) throws(PostbackDefect) -> ByteRange? {
    let field = Field.sourceDomain
    guard let text = try reader.string(field, mayBeEmpty: true) else { return nil }
    let isNumber = reader.bytes[text.indices].allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard text.count == 0 || !isNumber else {
      throw PostbackDefect(
        .outOfRange,
        field,
        expected: "a domain, not a number",
        found: reader.document.fields[field.rawValue]
      )
    }
    return text
  }

  static func sourceIdentifier(_ reader: inout FieldReader) throws(PostbackDefect) -> ByteRange? {
    try reader.string(.sourceIdentifier, "a string of two to four digits") { text in
      (2...4).contains(text.count) && text.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
  }
}
