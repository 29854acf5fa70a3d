internal import JSON

/// The choice of a postback's fields that are taken to be signed, and the form in which they are.
public struct SignedLayout: Hashable, Sendable {
  /// Indicates that values are not signed that a forwarder may have filled in for absent fields: a `source-app-id` of 0,
  /// an empty `source-domain`.
  public internal(set) var omitsFilled = false
  /// The number of digits of a `source-identifier` that came as a number, which has lost leading zeros; nil for as few as
  /// it can have.
  public internal(set) var sourceDigits: Int?

  /// Every signed field that the postback has, in the form in which it came.
  public static let asSent = SignedLayout()
  /// All but the values that a forwarder may have filled in for absent fields.
  public static let withoutZeroFilled = SignedLayout(omitsFilled: true)

  /// The differences from the form in which the postback came; `as_sent` if there is none.
  public var name: String {
    var parts: [String] = []
    if omitsFilled { parts.append("without_zero_filled") }
    if let sourceDigits { parts.append("source_identifier_of_\(sourceDigits)_digits") }
    return parts.isEmpty ? "as_sent" : parts.joined(separator: ", ")
  }
}

extension Postback {
  /// The layouts under which Apple may have signed the postback, `asSent` first.
  ///
  /// A `source-identifier` that is a number may have lost zeros. All combinations of its forms and of filled-in values are among
  /// them, 6 at most.
  public var layouts: [SignedLayout] {
    var layouts: [SignedLayout] = isZeroFilled ? [.asSent, .withoutZeroFilled] : [.asSent]
    guard let sourceIdentifier, coercedFields.contains(.sourceIdentifier), sourceIdentifier.digitCount < 4 else {
      return layouts
    }
    layouts += ((sourceIdentifier.digitCount + 1)...4).flatMap { digits in
      layouts.map { SignedLayout(omitsFilled: $0.omitsFilled, sourceDigits: digits) }
    }
    return layouts
  }

  /// Indicates that an optional signed field holds a value that a forwarder fills in: a `source-app-id` of 0 or an
  /// empty `source-domain`. False for version 1.0 and for AdAttributionKit.
  public var isZeroFilled: Bool {
    // Most postbacks have neither, and need no look at the rules.
    guard sourceAppID == 0 || sourceDomain?.count == 0 else { return false }
    return format.rules.fillable.contains { hasSignedValue($0, .asSent) && !hasSignedValue($0, .withoutZeroFilled) }
  }

  /// Tells if the postback has a value of a field of the format's signed text that is signed under the layout.
  private func hasSignedValue(_ field: Field, _ layout: SignedLayout) -> Bool {
    switch field {
    case .sourceAppID: sourceAppID.map { $0 != 0 || !layout.omitsFilled } ?? false
    case .sourceDomain: sourceDomain.map { $0.count > 0 || !layout.omitsFilled } ?? false
    default: true
    }
  }

  /// The fields that are signed under the layout, in order. Empty for AdAttributionKit, whose JWS is signed as a
  /// whole.
  public func signedFields(_ layout: SignedLayout) -> [Field] {
    guard framework == .skAdNetwork else { return [] }
    var fields: [Field] = []
    var message: [UInt8] = []
    format.rules.appendSignedText(to: &message) { field, message in
      let isSigned = hasSignedValue(field, layout)
      if isSigned { fields.append(field) }
      return isSigned
    }
    return fields
  }

  /// Appends the bytes that Apple signed, provided that the postback is genuine and the layout is right.
  ///
  /// SKAdNetwork: the values as text, joined by U+2063. AdAttributionKit: the JWS signing input (RFC 7515, section 5.1).
  public func appendSignedMessage(_ layout: SignedLayout, of bytes: [UInt8], to message: inout [UInt8]) {
    if case .jws(let jws) = signature {
      message.append(jws.signingInput, of: bytes)
      return
    }
    if let digits = layout.sourceDigits {
      var postback = self
      postback.sourceIdentifier?.digitCount = digits
      postback.appendSignedMessage(layout.omitsFilled ? .withoutZeroFilled : .asSent, of: bytes, to: &message)
      return
    }
    format.rules.appendSignedText(to: &message) { field, message in
      hasSignedValue(field, layout) && appendText(of: field, from: bytes, to: &message)
    }
  }

  /// Appends the fields that identify a postback: framework, ad network, transaction and window, joined by U+2063.
  ///
  /// Versions before 4.0 have one window, 0.
  public func appendIdentity(of bytes: [UInt8], to message: inout [UInt8]) {
    message.append(copying: framework.rawValue.utf8.span)
    message.append(copying: FormatRules.separator.span)
    message.append(adNetworkID, of: bytes)
    message.append(copying: FormatRules.separator.span)
    message.append(transactionID, of: bytes)
    message.append(copying: FormatRules.separator.span)
    message.appendDecimal(Int64(conversionWindow))
  }

  /// Tells if an id that is signed under the layout is a placeholder that Apple uses during development: an app or a
  /// source app of 0, or the ad network of postbacks that are made in the developer settings.
  ///
  /// Source: Apple, "Testing ad attributions with Developer Mode" and "Creating postbacks in developer settings".
  public func hasDevelopmentPlaceholder(_ layout: SignedLayout, in bytes: [UInt8]) -> Bool {
    if appID == 0 { return true }
    // A forwarder may have filled in a source app that is not signed.
    if sourceAppID == 0, !layout.omitsFilled, format.rules.signsSourceApp { return true }
    return framework == .adAttributionKit && bytes[adNetworkID.indices].elementsEqual(Self.developmentNetwork.utf8)
  }

  private static let developmentNetwork = "development.adattributionkit"

  /// Gives the postback the form that is signed under the layout with which the signature was verified. Restores zeros
  /// of the source identifier, and removes values that are not signed: zeros that a forwarder filled in, or a source domain
  /// beside a source app of 0, which becomes an extra.
  public mutating func restoreSigned(_ layout: SignedLayout) {
    guard differs(from: layout) else { return }
    if let digits = layout.sourceDigits { sourceIdentifier?.digitCount = digits }
    if layout.omitsFilled {
      if sourceAppID == 0 { sourceAppID = nil }
      if sourceDomain?.count == 0 { sourceDomain = nil }
    } else if sourceAppID != nil {
      guard let domain = sourceDomain else { return }
      sourceDomain = nil
      guard domain.count > 0 else { return }
      unsignedSourceDomain = domain
      extras = extrasWithSourceDomain
    }
  }

  /// Indicates that `restoreSigned` would change something.
  package func differs(from layout: SignedLayout) -> Bool {
    if layout.sourceDigits != nil { return true }
    return layout.omitsFilled
      ? sourceAppID == 0 || sourceDomain?.count == 0
      : framework == .skAdNetwork && sourceAppID != nil && sourceDomain != nil
  }
}
