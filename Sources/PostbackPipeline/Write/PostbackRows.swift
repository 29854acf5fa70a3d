internal import Base
internal import PostbackVerification
internal import Tables
internal import ConversionModel
internal import JSON
internal import SKAdNetwork

extension RowEncoder {
  /// Encodes a row of `skan_postbacks`.
  mutating func encode(_ decoded: Decoded, of bytes: [UInt8], from source: [UInt8], _ format: RowFormat) {
    let verified = decoded.unique.verified
    let postback = verified.parsed.postback
    plain(upTo: PostbackKey.length) { verified.key.write(to: &$0) }
    word(postback.framework)
    word(postback.version)
    text(postback.adNetworkID, of: bytes)
    text(postback.transactionID, of: bytes)
    integer(postback.appID)
    integer(postback.campaignID)
    if let identifier = postback.sourceIdentifier {
      plain(upTo: SourceIdentifier.maximumLength) { identifier.write(to: &$0) }
    } else {
      null()
    }
    integer(postback.sourceAppID)
    text(postback.sourceDomain, of: bytes)
    boolean(postback.redownload)
    text(postback.conversionType, of: bytes)
    integer(postback.fidelityType)
    word(postback.adInteractionType)
    boolean(postback.didWin)
    integer(postback.postbackSequenceIndex)
    integer(postback.conversionValue)
    word(postback.coarseConversionValue)
    if let country = postback.countryCode { plain(upTo: CountryCode.length) { country.write(to: &$0) } } else { null() }
    text(postback.marketplaceIdentifier, of: bytes)
    text(postback.impressionType, of: bytes)
    let keyID = format.keyIDs[verified.signature.key]
    text(keyID.span)
    word(verified.environment)
    word(verified.signature.state)
    let coerced = postback.coercedFields
    words(coerced.isEmpty ? [] : Field.allCases.filter(coerced.contains).map(\.name))
    let flags = verified.tierFlags
    words(flags.isEmpty ? [] : TierFlags.names.filter { flags.contains($0.flag) }.map(\.name))
    encode(verified.parsed.arrival, of: bytes)
    encode(decoded.decoding)
    if let extras = postback.extras { json(bytes.span.extracting(extras.indices)) } else { null() }
    text(source.span)
    integer(Int64(verified.parsed.record.line))
    endRow()
  }

  /// Encodes the channel, the forwarder, the time of receipt, and the source of that time.
  mutating func encode(_ arrival: Arrival, of bytes: [UInt8]) {
    word(arrival.channel)
    text(arrival.forwarder, of: bytes)
    time(arrival.receivedAt)
    word(arrival.source)
  }

  private mutating func encode(_ decoding: Decoding) {
    time(decoding.interval.estimated)
    time(decoding.interval.earliest)
    time(decoding.interval.latest)
    text(decoding.ambiguousModels ?? decoding.model?.modelID)
    integer(decoding.model.map { Int64($0.version) })
    word(decoding.status)
    encode(decoding.revenue)
    text(decoding.currency)
    boolean(decoding.isCumulative)
  }

  private mutating func encode(_ revenue: Revenue?) {
    amount(revenue?.estimate)
    amount(revenue?.minimum)
    amount(revenue?.maximum)
  }

  /// Encodes a row of `skan_events`.
  mutating func encode(_ event: ModelEvent, of decoded: Decoded) {
    let verified = decoded.unique.verified
    plain(upTo: PostbackKey.length) { verified.key.write(to: &$0) }
    text(event.name)
    integer(verified.parsed.postback.postbackSequenceIndex)
    amount(event.estimatedCount)
    integer(Int64(event.minimumCount))
    integer(event.maximumCount.map(Int64.init))
    encode(event.revenue)
    text(event.revenue == nil ? nil : decoded.decoding.currency)
    boolean(decoded.decoding.isCumulative)
    word(event.revenue == nil ? nil : decoded.decoding.revenueKind)
    text(decoded.decoding.model?.modelID)
    integer(decoded.decoding.model.map { Int64($0.version) })
    endRow()
  }
}
