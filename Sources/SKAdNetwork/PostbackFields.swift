internal import JSON

extension Postback {
  /// Reads the fields of a SKAdNetwork postback of this version.
  mutating func readSKAdNetwork(with reader: inout FieldReader) throws(PostbackDefect) {
    let rules = format.rules
    reader.covered = rules.signedSet
    try read(rules.signed, with: &reader)
    try read(rules.unsigned, with: &reader)
  }

  /// Reads some fields of an AdAttributionKit postback from the payload of its JWS or from the object around it;
  /// returns the fields that were read.
  mutating func read(
    _ members: [FormatRules.Member],
    of document: JSONDocument,
    _ bytes: [UInt8]
  ) throws(PostbackDefect) -> FieldSet {
    var reader = FieldReader(document, of: bytes, covered: format.rules.signedSet)
    try read(members, with: &reader)
    return reader.taken
  }

  private mutating func read(
    _ members: [FormatRules.Member],
    with reader: inout FieldReader
  ) throws(PostbackDefect) {
    for member in members {
      let isPresent = try read(member.field, with: &reader)
      if !isPresent, member.presence == .required { throw reader.missing(member.field) }
    }
    coercedFields.formUnion(reader.coerced)
    unreadableFields.formUnion(reader.unreadable)
  }

  /// Reads a field; returns true if it has a value.
  private mutating func read(_ field: Field, with reader: inout FieldReader) throws(PostbackDefect) -> Bool {
    switch field {
    case .version, .jwsString:
      // Both are read first, as they decide how the rest is read.
      reader.skip(field)
      return true
    case .adNetworkID, .adNetworkIdentifier: return Self.set(&adNetworkID, to: try reader.string(field))
    case .transactionID, .postbackIdentifier: return Self.set(&transactionID, to: try reader.string(field))
    case .appID, .advertisedItemIdentifier: return Self.set(&appID, to: try reader.integer(field))
    case .attributionSignature:
      return Self.set(&signature, to: try reader.string(field).map { .attribution($0) })
    case .campaignID: return Self.set(&campaignID, to: try reader.integer(field))
    case .sourceIdentifier: return Self.set(&sourceIdentifier, to: try reader.sourceIdentifier(field))
    case .sourceAppID, .publisherItemIdentifier: return Self.set(&sourceAppID, to: try reader.integer(field))
    case .sourceDomain:
      try readSourceDomain(with: &reader)
      return sourceDomain != nil
    case .redownload: return Self.set(&redownload, to: try reader.boolean(field))
    case .conversionType: return Self.set(&conversionType, to: try reader.string(field))
    case .fidelityType: return Self.set(&fidelityType, to: try reader.integer(field))
    case .adInteractionType: return Self.set(&adInteractionType, to: try reader.word(field))
    case .didWin: return Self.set(&didWin, to: try reader.boolean(field))
    case .postbackSequenceIndex: return Self.set(&postbackSequenceIndex, to: try reader.integer(field))
    case .conversionValue: return Self.set(&conversionValue, to: try reader.integer(field))
    case .coarseConversionValue: return Self.set(&coarseConversionValue, to: try reader.word(field))
    case .countryCode: return Self.set(&countryCode, to: try reader.countryCode(field))
    case .marketplaceIdentifier: return Self.set(&marketplaceIdentifier, to: try reader.string(field))
    case .impressionType: return Self.set(&impressionType, to: try reader.string(field))
    case .algorithm, .keyID, .critical, .receivedAt, .channel, .forwarder, .remoteAddress, .query, .body, .bodyBase64,
      .leftOut:
      return false
    }
  }

  private static func set<Value>(_ property: inout Value?, to value: Value?) -> Bool {
    property = value
    return value != nil
  }

  private static func set<Value>(_ property: inout Value, to value: Value?) -> Bool {
    guard let value else { return false }
    property = value
    return true
  }

  /// Reads `source-domain`. Apple sends a source app or a domain, and signs the one that it sends. A domain beside a
  /// source app stays an extra. Beside a source app of 0 the signature decides, as a forwarder may have filled in
  /// either.
  private mutating func readSourceDomain(with reader: inout FieldReader) throws(PostbackDefect) {
    switch sourceAppID {
    case nil:
      sourceDomain = try reader.domain(.sourceDomain)
      return
    case 0:
      var attempt = reader
      do {
        sourceDomain = try attempt.domain(.sourceDomain)
        reader = attempt
        return
      } catch {
        // The domain could not be signed: the 0 is, or neither.
      }
    default: break
    }
    let value = reader.fields[Field.sourceDomain.rawValue]
    let isAbsent = value.kind == .absent || value.kind == .null || value.text.count == 0
    if !isAbsent { unsignedSourceDomain = value.text }
  }

  /// Appends the field as SKAdNetwork signs it, in Apple's spelling; returns false if the postback has none.
  func appendText(of field: Field, from bytes: [UInt8], to message: inout [UInt8]) -> Bool {
    func append(_ text: ByteRange?) -> Bool {
      guard let text else { return false }
      message.append(text, of: bytes)
      return true
    }
    func append(_ integer: Int64?) -> Bool {
      guard let integer else { return false }
      message.appendDecimal(integer)
      return true
    }
    func append(_ boolean: Bool?) -> Bool {
      guard let boolean else { return false }
      message.append(copying: (boolean ? "true" : "false").utf8.span)
      return true
    }
    switch field {
    case .version:
      guard let version else { return false }
      message.append(copying: version.rawValue.utf8.span)
      return true
    case .adNetworkID: return append(adNetworkID)
    case .campaignID: return append(campaignID)
    case .sourceIdentifier:
      guard let sourceIdentifier else { return false }
      message.append(addingCapacity: SourceIdentifier.maximumLength) { sourceIdentifier.write(to: &$0) }
      return true
    case .appID: return append(appID)
    case .transactionID: return append(transactionID)
    case .redownload: return append(redownload)
    case .sourceAppID: return append(sourceAppID)
    case .sourceDomain: return append(sourceDomain)
    case .fidelityType: return append(fidelityType)
    case .didWin: return append(didWin)
    case .postbackSequenceIndex: return append(postbackSequenceIndex)
    default: return false
    }
  }
}
