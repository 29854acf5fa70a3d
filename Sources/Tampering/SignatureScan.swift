internal import Base
package import PostbackVerification
internal import Signatures

/// A reader of the r of signatures in raw records, many times as fast as a parser of postbacks.
///
/// It searches the bytes for the key of the signature and decodes the first digits behind it. Wherever more than one reading is
/// possible, such as with escaped keys, a second key of that name or another encoding, the record is parsed as for a diagnosis.
package struct SignatureScan {
  private var digits: [UInt8] = []
  private var decoded: [UInt8] = []

  private static let attributionKey = BytePattern("\"attribution-signature\"")
  private static let jwsKey = BytePattern("\"jws-string\"")
  /// The number of digits that are decoded, which hold the start of r in any ordinary signature.
  private static let digitCount = 48
  /// The number of digits of a signature of AdAttributionKit.
  private static let jwsDigitCount = 86

  /// Makes a reader.
  package init() {}

  /// Returns the r of the signature of a record, a postback, bare or in its envelope; more than one value if its text has
  /// several readings, and none if there is no signature.
  package mutating func values(in record: Span<UInt8>) -> [SignatureR] {
    if let r = plain(record) { return [r] }
    guard let arrived = ArrivedPostback(record.indices.map { record[$0] }) else { return [] }
    var values: [SignatureR] = []
    for signature in arrived.signatures {
      if let r = SignatureR(signature.raw.span, as: .raw), !values.contains(r) { values.append(r) }
    }
    return values
  }

  /// Returns the r of a signature in the form that Apple sends; nil if the record may have another.
  private mutating func plain(_ record: Span<UInt8>) -> SignatureR? {
    let attribution = Self.attributionKey.position(in: record)
    let jws = Self.jwsKey.position(in: record)
    switch (attribution, jws) {
    case (let key?, nil):
      guard let start = record.startOfText(behind: Self.attributionKey, at: key),
        takeDigits(record, from: start), decode(.standard),
        decoded[0] == 0x30, decoded[1] < 0x80, decoded[2] == 0x02, decoded[3] <= 33
      else { return nil }
      return SignatureR(decoded.span, as: .der)
    case (nil, let key?):
      guard let start = record.startOfText(behind: Self.jwsKey, at: key),
        let end = (start..<record.count).first(where: { record[$0] == UInt8(ascii: "\"") }),
        end - start > Self.jwsDigitCount,
        record[end - Self.jwsDigitCount - 1] == UInt8(ascii: "."),
        takeDigits(record, from: end - Self.jwsDigitCount), decode(.url)
      else { return nil }
      return SignatureR(decoded.span, as: .raw)
    default: return nil
    }
  }

  /// Takes the first digits of a text, in which a slash may be escaped. Returns false if there are fewer.
  private mutating func takeDigits(_ record: Span<UInt8>, from start: Int) -> Bool {
    digits.removeAll(keepingCapacity: true)
    var place = start
    while digits.count < Self.digitCount, place + 1 < record.count {
      if record[place] == UInt8(ascii: "\\"), record[place + 1] == UInt8(ascii: "/") { place += 1 }
      digits.append(record[place])
      place += 1
    }
    return digits.count == Self.digitCount
  }

  private mutating func decode(_ base64: Base64) -> Bool {
    var bytes: [UInt8] = []
    swap(&bytes, &decoded)
    defer { swap(&bytes, &decoded) }
    bytes.removeAll(keepingCapacity: true)
    return base64.decode(digits.span, appendingTo: &bytes)
  }
}

/// A few bytes that are searched for in many texts (Boyer, Moore and Horspool).
package struct BytePattern: Sendable {
  /// The number of bytes.
  package let count: Int
  private let bytes: [UInt8]
  /// The number of bytes to go on, by the byte at the end of the place that was compared.
  private let steps: [Int]

  /// Makes a pattern of a text that is not empty.
  package init(_ text: String) {
    bytes = Array(text.utf8)
    count = bytes.count
    var steps = [Int](repeating: bytes.count, count: 256)
    for (place, byte) in bytes.dropLast().enumerated() { steps[Int(byte)] = bytes.count - 1 - place }
    self.steps = steps
  }

  /// Returns the position of the first occurrence at or after `start`; nil if there is none.
  package func position(in text: Span<UInt8>, from start: Int = 0) -> Int? {
    var place = start
    while place + count <= text.count {
      var index = count - 1
      while text[place + index] == bytes[index] {
        if index == 0 { return place }
        index -= 1
      }
      place += steps[Int(text[place + count - 1])]
    }
    return nil
  }
}

extension Span<UInt8> {
  /// Returns the start of the text that is the value of a key at a position; nil if the value is no text, or if the key occurs
  /// again.
  fileprivate func startOfText(behind key: BytePattern, at position: Int) -> Int? {
    var place = position + key.count
    guard key.position(in: self, from: place) == nil else { return nil }
    for expected in [UInt8(ascii: ":"), UInt8(ascii: "\"")] {
      while place < count, self[place] == UInt8(ascii: " ") { place += 1 }
      guard place < count, self[place] == expected else { return nil }
      place += 1
    }
    return place
  }
}
