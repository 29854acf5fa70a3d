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
    guard isJWS else { return digits(of: decoded.utf8[...], as: .standard) }
    let parts = decoded.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let undone = parts.compactMap { digits(of: $0, as: .url) }
    return undone.count == parts.count ? Array(undone.joined(separator: [UInt8(ascii: ".")])) : nil
  }

  /// Returns a base64 text in its canonical form; nil if it is none. Of several readings, one whose padding is right comes
  /// first, and of those one in which the spaces inside stand for `+`.
  private static func digits(of text: Substring.UTF8View, as base64: Base64) -> [UInt8]? {
    let line = text.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\t") }
    let whole = line.drop { $0 == UInt8(ascii: " ") }
    let trimmed = whole[..<((whole.lastIndex { $0 != UInt8(ascii: " ") } ?? whole.startIndex - 1) + 1)]
    let plus = base64 == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
    let readings = [
      reading(of: trimmed, space: plus, as: base64), reading(of: whole, space: plus, as: base64),
      reading(of: trimmed, space: nil, as: base64),
    ]
    let right = readings.filter { base64 == .standard && ($0.digits.count + $0.padding) % 4 == 0 }
    for reading in right + readings {
      var digits = reading.digits
      if base64 == .standard {
        digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
      }
      var decoded: [UInt8] = []
      if base64.decode(digits.span, appendingTo: &decoded) { return digits }
    }
    return nil
  }

  /// Returns the digits of a text in the alphabet of `base64`, with `space` in the place of a space, and the length of its
  /// padding.
  private static func reading(
    of text: ArraySlice<UInt8>,
    space: UInt8?,
    as base64: Base64
  ) -> (digits: [UInt8], padding: Int) {
    let end = (text.lastIndex { $0 != UInt8(ascii: "=") } ?? text.startIndex - 1) + 1
    let digits = text[..<end].compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "): space
      case UInt8(ascii: "-") where base64 == .standard: UInt8(ascii: "+")
      case UInt8(ascii: "_") where base64 == .standard: UInt8(ascii: "/")
      case UInt8(ascii: "+") where base64 == .url: UInt8(ascii: "-")
      case UInt8(ascii: "/") where base64 == .url: UInt8(ascii: "_")
      default: byte
      }
    }
    return (digits, text.endIndex - end)
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
