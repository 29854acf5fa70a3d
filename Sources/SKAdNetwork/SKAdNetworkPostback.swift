internal import JSON

extension Postback {
  /// Reads a SKAdNetwork postback; returns it with the fields that were read.
  static func skAdNetwork(
    _ document: JSONDocument,
    _ bytes: [UInt8]
  ) throws(PostbackDefect) -> (Postback, taken: FieldSet) {
    var reader = FieldReader(document, of: bytes, covered: .all)
    let version = try version(&reader)
    reader.covered = version.covered
    let signature = try reader.string(.attributionSignature)
    let adNetworkID = try reader.string(.adNetworkID)
    let transactionID = try reader.string(.transactionID)
    let appID = try reader.integer(.appID)
    var postback = Postback(
      framework: .skAdNetwork,
      version: version,
      adNetworkID: try reader.required(adNetworkID, .adNetworkID, "a string"),
      transactionID: try reader.required(transactionID, .transactionID, "a string"),
      appID: try reader.required(appID, .appID, "an integer"),
      sourceAppID: try reader.integer(.sourceAppID),
      redownload: try reader.boolean(.redownload),
      countryCode: try reader.countryCode(.countryCode),
      signature: .attribution(
        try reader.required(signature, .attributionSignature, "Apple's signature, DER in base64")
      )
    )
    if version >= .v2_0 {
      _ = try reader.required(postback.redownload, .redownload, "true or false")
      postback.conversionValue = try reader.integer(.conversionValue)
    }
    if version >= .v2_2 {
      let fidelityType = try reader.integer(.fidelityType)
      postback.fidelityType = try reader.required(fidelityType, .fidelityType, "0 or 1")
    }
    if version >= .v3_0 {
      let didWin = try reader.boolean(.didWin)
      postback.didWin = try reader.required(didWin, .didWin, "true or false")
    }
    if version >= .v4_0 {
      let source = try reader.sourceIdentifier(.sourceIdentifier)
      postback.sourceIdentifier = try reader.required(source, .sourceIdentifier, "a string of two to four digits")
      try readSourceDomain(of: &postback, &reader)
      let index = try reader.integer(.postbackSequenceIndex)
      postback.postbackSequenceIndex = try reader.required(index, .postbackSequenceIndex, "0, 1 or 2")
      postback.coarseConversionValue = try reader.word(.coarseConversionValue, as: CoarseConversionValue.self)
    } else {
      let campaignID = try reader.integer(.campaignID)
      postback.campaignID = try reader.required(campaignID, .campaignID, "an integer from 1 to 100")
    }
    postback.coercedFields = reader.coerced
    postback.unreadableFields = reader.unreadable
    return (postback, reader.taken)
  }

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

  /// Reads `source-domain`. Apple sends a source app or a domain, and signs the one that it sends. A domain beside a
  /// source app stays an extra. Beside a source app of 0 the signature decides, as a forwarder may have filled in
  /// either.
  private static func readSourceDomain(
    of postback: inout Postback,
    _ reader: inout FieldReader
  ) throws(PostbackDefect) {
    switch postback.sourceAppID {
    case nil:
      postback.sourceDomain = try sourceDomain(&reader)
      return
    case 0:
      var attempt = reader
      do {
        postback.sourceDomain = try sourceDomain(&attempt)
        reader = attempt
        return
      } catch {
        // The domain could not be signed: the 0 is, or neither.
      }
    default: break
    }
    let value = reader.document.fields[Field.sourceDomain.rawValue]
    let isAbsent = value.kind == .absent || value.kind == .null || value.text.count == 0
    if !isAbsent { postback.unsignedSourceDomain = value.text }
  }

  /// Reads a domain, which must not be a number: source app and domain have the same place in the signed message, and
  /// a signed source app must not pass as a domain.
  private static func sourceDomain(_ reader: inout FieldReader) throws(PostbackDefect) -> ByteRange? {
    try reader.string(.sourceDomain, "a domain, not a number", mayBeEmpty: true) { text in
      text.isEmpty || !text.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
  }
}
