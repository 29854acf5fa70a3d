internal import JSON

/// The choice of a postback's fields that are taken to be signed.
public enum SignedLayout: String, CaseIterable, Sendable {
  /// Every signed field that the postback has.
  case asSent = "as_sent"
  /// All but the values that a forwarder may have filled in for absent fields: a `source-app-id` of 0, an empty
  /// `source-domain`.
  case withoutZeroFilled = "without_zero_filled"
}

extension Postback {
  /// The layouts under which Apple may have signed the postback, `asSent` first.
  public var layouts: [SignedLayout] { isZeroFilled ? [.asSent, .withoutZeroFilled] : [.asSent] }

  /// Indicates that an optional signed field holds a value that a forwarder fills in: a `source-app-id` of 0 or an
  /// empty `source-domain`. False for version 1.0 and for AdAttributionKit.
  public var isZeroFilled: Bool {
    framework == .skAdNetwork && (sourceAppID == 0 || sourceDomain?.count == 0) && version != .v1_0
  }

  /// The fields that are signed under the layout, in order. Empty for AdAttributionKit, whose JWS is signed as a
  /// whole.
  public func signedFields(_ layout: SignedLayout) -> [Field] {
    (version?.signedFields ?? []).filter { isSigned($0, layout) }
  }

  /// Tells if the layout signs a field of the version in this postback. Of a source app and a source domain Apple
  /// signs the app if there is one.
  private func isSigned(_ field: Field, _ layout: SignedLayout) -> Bool {
    let takesZeros = layout == .asSent
    let hasSourceApp = sourceAppID.map { $0 != 0 || takesZeros } ?? false
    return switch field {
    case .sourceAppID: hasSourceApp
    case .sourceDomain: !hasSourceApp && (sourceDomain.map { $0.count > 0 || takesZeros } ?? false)
    default: true
    }
  }

  /// Appends the bytes that Apple signed, provided that the postback is genuine and the layout is right.
  ///
  /// SKAdNetwork: the values as text, joined by U+2063. AdAttributionKit: the JWS signing input (RFC 7515, section 5.1).
  public func appendSignedMessage(_ layout: SignedLayout, of bytes: [UInt8], to message: inout [UInt8]) {
    if case .jws(let jws) = signature {
      message.append(jws.signingInput, of: bytes)
      return
    }
    guard let version else { return }
    let start = message.count
    for field in version.signedFields where isSigned(field, layout) {
      if message.count > start { message.append(contentsOf: Self.separator) }
      appendText(of: field, from: bytes, to: &message)
    }
  }

  /// U+2063, invisible separator, in UTF-8.
  private static let separator: [UInt8] = [0xE2, 0x81, 0xA3]

  /// Appends the field as it is signed, in Apple's spelling.
  private func appendText(of field: Field, from bytes: [UInt8], to message: inout [UInt8]) {
    func append(_ text: ByteRange?) { if let text { message.append(text, of: bytes) } }
    func append(_ integer: Int64?) { if let integer { message.appendDecimal(integer) } }
    func append(_ boolean: Bool?) {
      if let boolean { message.append(copying: (boolean ? "true" : "false").utf8.span) }
    }
    switch field {
    case .version: message.append(copying: (version?.rawValue ?? "").utf8.span)
    case .adNetworkID: append(adNetworkID)
    case .campaignID: append(campaignID)
    case .sourceIdentifier:
      message.append(addingCapacity: SourceIdentifier.maximumLength) { sourceIdentifier?.write(to: &$0) }
    case .appID: append(appID)
    case .transactionID: append(transactionID)
    case .redownload: append(redownload)
    case .sourceAppID: append(sourceAppID)
    case .sourceDomain: append(sourceDomain)
    case .fidelityType: append(fidelityType)
    case .didWin: append(didWin)
    case .postbackSequenceIndex: append(postbackSequenceIndex)
    default: break
    }
  }

  /// Appends the fields that identify a postback: framework, ad network, transaction and window, joined by U+2063.
  ///
  /// Versions before 4.0 have one window, 0.
  public func appendIdentity(of bytes: [UInt8], to message: inout [UInt8]) {
    message.append(copying: framework.rawValue.utf8.span)
    message.append(contentsOf: Self.separator)
    message.append(adNetworkID, of: bytes)
    message.append(contentsOf: Self.separator)
    message.append(transactionID, of: bytes)
    message.append(contentsOf: Self.separator)
    message.appendDecimal(Int64(conversionWindow))
  }

  /// Tells if an id that is signed under the layout is a placeholder that Apple uses during development: an app or a
  /// source app of 0, or the ad network of postbacks that are made in the developer settings.
  ///
  /// Source: Apple, "Testing ad attributions with Developer Mode" and "Creating postbacks in developer settings".
  public func hasDevelopmentPlaceholder(_ layout: SignedLayout, in bytes: [UInt8]) -> Bool {
    if appID == 0 { return true }
    // A forwarder may have filled in a source app that is not signed.
    if sourceAppID == 0, layout == .asSent, version != .v1_0 { return true }
    return framework == .adAttributionKit && bytes[adNetworkID.indices].elementsEqual(Self.developmentNetwork.utf8)
  }

  private static let developmentNetwork = "development.adattributionkit"

  /// Removes the values that are not signed under the layout with which the signature was verified: zeros that a
  /// forwarder filled in, or a source domain beside a source app of 0, which becomes an extra.
  public mutating func removeUnsigned(_ layout: SignedLayout) {
    switch layout {
    case .withoutZeroFilled:
      if sourceAppID == 0 { sourceAppID = nil }
      if sourceDomain?.count == 0 { sourceDomain = nil }
    case .asSent:
      guard framework == .skAdNetwork, sourceAppID != nil, let domain = sourceDomain else { return }
      sourceDomain = nil
      guard domain.count > 0 else { return }
      unsignedSourceDomain = domain
      extras = extrasWithSourceDomain
    }
  }
}
