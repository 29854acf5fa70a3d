internal import Base
public import JSON

/// The parts of a JWS in compact serialization (RFC 7515, section 7.1) whose algorithm is ES256.
public struct CompactJWS: Sendable {
  /// Header, period and payload as they were sent: the bytes that are signed.
  public var signingInput: ByteRange
  /// The signature, base64url.
  public var signature: ByteRange
  /// The `kid`, which names the key.
  public var keyID: ByteRange
}

extension CompactJWS {
  /// Returns the `kid` of a JWS header; throws where the header is not one that Apple's postbacks have.
  static func keyID(_ header: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) -> ByteRange {
    var reader = FieldReader(header, of: bytes, covered: .all)
    func malformed(_ field: Field, _ expected: String) -> PostbackDefect {
      PostbackDefect(.malformedJWS, field, expected: expected, found: header.fields[field.rawValue])
    }
    guard let algorithm = try? reader.string(.algorithm), bytes[algorithm.indices].elementsEqual("ES256".utf8) else {
      throw malformed(.algorithm, "ES256, the only algorithm that Apple signs postbacks with")
    }
    guard header.fields[Field.critical.rawValue].kind == .absent else {
      throw malformed(.critical, "no critical extensions")
    }
    guard let keyID = try? reader.string(.keyID) else { throw malformed(.keyID, "the name of the key") }
    return keyID
  }
}

/// The three parts of a JWS in compact serialization (RFC 7515, section 7.1), still encoded.
struct JWSParts {
  let text: ByteRange
  let header: ByteRange
  let payload: ByteRange
  let signature: ByteRange
  /// True if the text came in another form than Apple's, which was undone.
  let isCoerced: Bool

  /// The bytes that are signed: header, period and payload.
  var signingInput: ByteRange {
    ByteRange(start: Int(header.start), count: Int(header.count) + 1 + Int(payload.count))
  }

  /// Reads the `jws-string` of a postback. Appends it to `bytes` in Apple's form if it came in another one.
  init(of document: JSONDocument, _ bytes: inout [UInt8]) throws(PostbackDefect) {
    var text = try Self.text(of: document, bytes)
    let undone = EncodedSignature.undone(bytes.span.extracting(text.indices), isJWS: true)
    if let undone {
      text = ByteRange(start: bytes.count, count: undone.count)
      bytes += undone
    }
    (self.text, isCoerced) = (text, undone != nil)
    let parts = bytes[text.indices].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw Self.malformed(text, "three parts with periods between them, not \(parts.count)")
    }
    func range(_ part: ArraySlice<UInt8>) -> ByteRange { ByteRange(start: part.startIndex, count: part.count) }
    header = range(parts[0])
    payload = range(parts[1])
    signature = range(parts[2])
    var decoded: [UInt8] = []
    guard Base64.url.decode(bytes.span.extracting(signature.indices), appendingTo: &decoded) else {
      throw malformed("base64url without padding")
    }
  }

  private static func text(of document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) -> ByteRange {
    var reader = FieldReader(document, of: bytes, covered: .all)
    guard let text = try reader.string(.jwsString) else { throw reader.missing(.jwsString) }
    return text
  }

  func malformed(_ expected: String) -> PostbackDefect { Self.malformed(text, expected) }

  private static func malformed(_ text: ByteRange, _ expected: String) -> PostbackDefect {
    PostbackDefect(.malformedJWS, .jwsString, expected: expected, found: JSONField(kind: .string, text: text))
  }
}
