package import PostbackVerification
package import Tables
package import ConversionModel
internal import JSON
internal import SKAdNetwork

extension RowEncoder {
  /// Encodes a row of `skan_postbacks`.
  mutating func encode(_ decoded: Decoded, of bytes: [UInt8], from source: [UInt8], _ format: RowFormat) {
    let verified = decoded.unique.verified
    let postback = verified.parsed.postback
    plain(.postbackKey, upTo: PostbackKey.length) { verified.key.write(to: &$0) }
    word(.framework, postback.framework.rawValue)
    word(.version, postback.version?.rawValue)
    text(.adNetworkID, postback.adNetworkID, of: bytes)
    text(.transactionID, postback.transactionID, of: bytes)
    integer(.appID, postback.appID)
    integer(.campaignID, postback.campaignID)
    if let identifier = postback.sourceIdentifier {
      plain(.sourceIdentifier, upTo: SourceIdentifier.maximumLength) { identifier.write(to: &$0) }
    } else {
      null(.sourceIdentifier)
    }
    integer(.sourceAppID, postback.sourceAppID)
    text(.sourceDomain, postback.sourceDomain, of: bytes)
    boolean(.redownload, postback.redownload)
    text(.conversionType, postback.conversionType, of: bytes)
    integer(.fidelityType, postback.fidelityType)
    word(.adInteractionType, postback.adInteractionType?.rawValue)
    boolean(.didWin, postback.didWin)
    integer(.postbackSequenceIndex, postback.postbackSequenceIndex)
    integer(.conversionValue, postback.conversionValue)
    word(.coarseConversionValue, postback.coarseConversionValue?.rawValue)
    if let country = postback.countryCode {
      plain(.countryCode, upTo: CountryCode.length) { country.write(to: &$0) }
    } else {
      null(.countryCode)
    }
    text(.marketplaceIdentifier, postback.marketplaceIdentifier, of: bytes)
    text(.impressionType, postback.impressionType, of: bytes)
    let keyID = verified.keyID
    text(.keyID, keyID.span)
    word(.environment, verified.environment.rawValue)
    word(.signatureState, verified.signature.state.rawValue)
    if let r = verified.signature.r {
      guarded(.signatureR, upTo: SignatureR.length) { r.write(to: &$0) }
    } else {
      null(.signatureR)
    }
    let coerced = postback.coercedFields
    words(.coercedFields, coerced.isEmpty ? [] : Field.allCases.filter(coerced.contains).map(\.name))
    let flags = verified.tierFlags
    words(.tierFlags, flags.isEmpty ? [] : TierFlags.names.filter { flags.contains($0.flag) }.map(\.name))
    encode(verified.parsed.arrival, of: bytes, format)
    encode(decoded.decoding)
    if let extras = postback.extras { json(.extras, bytes.span.extracting(extras.indices)) } else { null(.extras) }
    text(.sourceFile, source.span)
    integer(.sourceLine, Int64(verified.parsed.record.line))
    text(.rawBody, format.encoding.keepsRawBodies ? verified.parsed.record.bytes : nil, of: bytes)
    endRow()
  }

  /// Encodes the channel, the forwarder, its address, the time of receipt, and the source of that time.
  mutating func encode(_ arrival: Arrival, of bytes: [UInt8], _ format: RowFormat) {
    word(.channel, arrival.channel?.rawValue)
    text(.forwarder, arrival.forwarder, of: bytes)
    text(.remoteAddress, format.keepsAddresses ? arrival.remoteAddress : nil, of: bytes)
    time(.receivedAt, arrival.receivedAt)
    word(.receivedAtSource, arrival.source?.rawValue)
  }

  private mutating func encode(_ decoding: Decoding) {
    time(.estimatedInstallDate, decoding.interval.estimated)
    time(.installDateEarliest, decoding.interval.earliest)
    time(.installDateLatest, decoding.interval.latest)
    text(.modelID, decoding.ambiguousModels ?? decoding.model?.modelID)
    integer(.modelVersion, decoding.model.map { Int64($0.version) })
    word(.decodeStatus, decoding.status.rawValue)
    encode(decoding.revenue)
    text(.currency, decoding.currency)
    boolean(.cumulative, decoding.isCumulative)
  }

  private mutating func encode(_ revenue: Revenue?) {
    amount(.skanRevenue, revenue?.estimate)
    amount(.minRevenue, revenue?.minimum)
    amount(.maxRevenue, revenue?.maximum)
  }

  /// Encodes a row of `skan_events`.
  mutating func encode(_ event: ModelEvent, of decoded: Decoded) {
    let verified = decoded.unique.verified
    encode(event, of: verified.key, window: verified.parsed.postback.postbackSequenceIndex, decoded.decoding)
  }

  /// Encodes an event that the conversion value of a postback decodes to, as a row of `skan_events` or of a table with the
  /// same columns.
  package mutating func encode(_ event: ModelEvent, of key: PostbackKey, window: Int64?, _ decoding: Decoding) {
    plain(.postbackKey, upTo: PostbackKey.length) { key.write(to: &$0) }
    text(.eventName, event.name)
    integer(.postbackSequenceIndex, window)
    amount(.eventCount, event.estimatedCount)
    integer(.minEventCount, Int64(event.minimumCount))
    integer(.maxEventCount, event.maximumCount.map(Int64.init))
    encode(event.revenue)
    text(.currency, event.revenue == nil ? nil : decoding.currency)
    boolean(.cumulative, decoding.isCumulative)
    word(.revenueKind, event.revenue == nil ? nil : decoding.revenueKind?.rawValue)
    text(.modelID, decoding.model?.modelID)
    integer(.modelVersion, decoding.model.map { Int64($0.version) })
    endRow()
  }
}
