internal import Base
internal import Signatures

/// One reading of a signature text that may not be in Apple's form.
struct ArrivedSignature {
  let curve: Curve
  /// r, then s, each in the curve's field size.
  let raw: [UInt8]
  /// The differences from the form that Apple writes.
  let reencodings: [Reencoding.Kind]

  /// Returns all readings of the text, the most likely first; `form` is the form that Apple sends.
  static func readings(of text: String, as form: SignatureForm) -> [ArrivedSignature] {
    var readings: [ArrivedSignature] = []
    for (bytes, reencodings) in decodings(of: text, as: form) {
      for reading in Self.readings(of: bytes, as: form, reencodings) {
        if !readings.contains(where: { $0.curve == reading.curve && $0.raw == reading.raw }) {
          readings.append(reading)
        }
      }
    }
    return readings
  }

  /// Returns the bytes that the text may encode, each with its differences from Apple's encoding.
  private static func decodings(
    of text: String,
    as form: SignatureForm
  ) -> [(bytes: [UInt8], reencodings: [Reencoding.Kind])] {
    // Before base64, which takes its digits too.
    if let decoded = hexadecimal(text.withoutWhiteSpaceAround) { return [(decoded, [.hexadecimal])] }
    var bytes: [UInt8] = []
    let base64: Base64 = form == .der ? .standard : .url
    if base64.decode(Array(text.utf8).span, appendingTo: &bytes) { return [(bytes, [])] }
    guard text.utf8.count <= longestText else { return [] }
    var reencodings: [Reencoding.Kind] = []
    var text = text
    if let decoded = text.percentDecoded {
      text = decoded
      reencodings.append(.percentEncoded)
    }
    var decodings: [(bytes: [UInt8], reencodings: [Reencoding.Kind])] = []
    for spaceStandsForPlus in text.contains(" ") ? [true, false] : [false] {
      if let (bytes, found) = looseBase64(text, base64, spaceStandsForPlus: spaceStandsForPlus) {
        decodings.append((bytes, reencodings + found))
      }
    }
    return decodings
  }

  /// The longest text in bytes that is read as a signature. Signatures are shorter in every encoding.
  private static let longestText = 1024

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    (90...longestText).contains(text.utf8.count) ? [UInt8](hexadecimal: text.utf8) : nil
  }

  private static func looseBase64(
    _ text: String,
    _ base64: Base64,
    spaceStandsForPlus: Bool
  ) -> ([UInt8], [Reencoding.Kind])? {
    var reencodings: [Reencoding.Kind] = []
    func note(_ reencoding: Reencoding.Kind) { if !reencodings.contains(reencoding) { reencodings.append(reencoding) } }
    var digits: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " ") where spaceStandsForPlus:
        note(.spaceForPlus)
        digits.append(UInt8(ascii: "-"))
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): note(.whiteSpace)
      case UInt8(ascii: "+"), UInt8(ascii: "/"):
        if base64 == .url { note(.base64Standard) }
        digits.append(byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : UInt8(ascii: "_"))
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        if base64 == .standard { note(.base64URL) }
        digits.append(byte)
      case UInt8(ascii: "="): break
      default: digits.append(byte)
      }
    }
    let paddingIsRight: Bool
    let padding = text.utf8.count { $0 == UInt8(ascii: "=") }
    switch base64 {
    case .standard: paddingIsRight = (digits.count + padding) % 4 == 0 && padding < 3
    case .url: paddingIsRight = padding == 0
    }
    if !paddingIsRight { note(.padding) }
    var bytes: [UInt8] = []
    if !Base64.url.decode(digits.span, appendingTo: &bytes) {
      // The last digit's bits that no byte takes may be anything.
      guard digits.count % 4 > 1, let last = digits.popLast(), let value = value(of: last) else { return nil }
      let mask: UInt8 = digits.count % 4 == 1 ? 0x30 : 0x3C
      digits.append(alphabet[Int(value & mask)])
      guard Base64.url.decode(digits.span, appendingTo: &bytes) else { return nil }
      note(.padding)
    }
    return (bytes, reencodings)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(of digit: UInt8) -> UInt8? { alphabet.firstIndex(of: digit).map { UInt8($0) } }

  /// Returns the signatures that the bytes may be, one at most for each curve.
  private static func readings(
    of bytes: [UInt8],
    as form: SignatureForm,
    _ reencodings: [Reencoding.Kind]
  ) -> [ArrivedSignature] {
    var readings: [ArrivedSignature] = []
    for curve in Curve.allCases {
      var raw: [UInt8] = []
      let size = curve.fieldByteCount
      if SignatureForm.der.appendRaw(bytes.span, on: curve, to: &raw) == nil {
        // What fits P-192 has P-256's size too, but for one of 2^64 signatures.
        if curve == .p256, readings.contains(where: { $0.curve == .p192 }) { continue }
        readings.append(Self(curve: curve, raw: raw, reencodings: reencodings + (form == .der ? [] : [.derSignature])))
      } else if bytes.count == 2 * size {
        readings.append(
          Self(curve: curve, raw: bytes, reencodings: reencodings + (form == .raw ? [] : [.rawSignature]))
        )
      } else if let raw = looseDER(bytes, size) {
        if curve == .p256, readings.contains(where: { $0.curve == .p192 }) { continue }
        let wrongForm: [Reencoding.Kind] = form == .der ? [] : [.derSignature]
        readings.append(Self(curve: curve, raw: raw, reencodings: reencodings + wrongForm + [.looseDER]))
      }
    }
    return readings
  }

  /// Returns r and s of bytes that are almost DER: with wrong lengths, without the zero before a number, or with
  /// further bytes at the end. nil for other bytes.
  private static func looseDER(_ bytes: [UInt8], _ size: Int) -> [UInt8]? {
    guard bytes.count > 8, bytes[0] == 0x30 else { return nil }
    var rest = bytes.dropFirst(bytes[1] == 0x81 ? 3 : 2)
    var raw: [UInt8] = []
    for _ in 0..<2 {
      guard rest.popFirst() == 0x02, let count = rest.popFirst(), Int(count) <= rest.count else { return nil }
      let number = rest.prefix(Int(count)).drop { $0 == 0 }
      guard number.count <= size else { return nil }
      raw += [UInt8](repeating: 0, count: size - number.count) + number
      rest = rest.dropFirst(Int(count))
    }
    return raw
  }
}
