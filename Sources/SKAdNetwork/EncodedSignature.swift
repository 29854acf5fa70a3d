internal import Base
internal import JSON

/// Encodings that forwarders put over the base64 of a signature or a JWS, which change none of its bits.
enum EncodedSignature {
  /// Returns the text in the form that Apple writes: standard base64, or with `isJWS` three parts of base64url with
  /// periods between them. Returns nil if it has that form already, or cannot be brought into it.
  ///
  /// Undoes percent-encoding, also twice, the other alphabet of base64, missing or further padding, line breaks, and
  /// spaces, which stand for `+` or are further ones. One text has one result at most. The signature decides if it is right.
  static func undone(_ text: Span<UInt8>, isJWS: Bool) -> [UInt8]? {
    guard !text.mayHaveForm(ofJWS: isJWS) else { return nil }
    var decoded = String(copying: text)
    for _ in 0..<2 { decoded = decoded.percentDecoded ?? decoded }
    guard isJWS else { return Base64.standard.canonical(decoded.utf8) }
    let parts = decoded.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let undone = parts.compactMap { Base64.url.canonical($0) }
    return undone.count == parts.count ? Array(undone.joined(separator: [UInt8(ascii: ".")])) : nil
  }
}

extension Postback {
  /// Replaces an `attribution-signature` that is not in Apple's form by one that is, which is appended to `bytes`.
  mutating func undoEncodingOfSignature(in bytes: inout [UInt8]) {
    guard case .attribution(let text) = signature,
      let undone = EncodedSignature.undone(bytes.span.extracting(text.indices), isJWS: false)
    else { return }
    signature = .attribution(ByteRange(start: bytes.count, count: undone.count))
    coercedFields.insert(.attributionSignature)
    bytes += undone
  }
}

extension Span<UInt8> {
  /// Tells if no byte shows another encoding than Apple's, and the length fits: standard base64, or the parts of a JWS. Looks
  /// at each byte without a branch, because nearly all texts have Apple's form.
  fileprivate func mayHaveForm(ofJWS isJWS: Bool) -> Bool {
    let (least, first, second) =
      isJWS
      ? (UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "="))
      : (UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"))
    var others: UInt8 = !isJWS && count % 4 != 0 ? 1 : 0
    unsafe withUnsafeBytes { bytes in
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        others |= (byte < least ? 1 : 0) | (byte == first ? 1 : 0) | (byte == second ? 1 : 0)
      }
    }
    return others == 0
  }
}
