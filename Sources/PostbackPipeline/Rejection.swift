package import PostbackVerification
internal import Signatures
internal import JSON
package import SKAdNetwork

/// The reason why a record was rejected, with the details that an analyst needs.
package struct Rejection: Sendable {
  /// The stable reject code.
  package var code: RejectCode
  /// The record. Its bytes are kept for the reject row.
  package var record: Record
  /// The ids and the version that the record claims. They are not verified.
  package var claims: Claims
  /// The time of receipt and the channel.
  package var arrival: Arrival
  /// The field that is wrong; nil if no single field is. This text, `expected` and `found` are cut at 200 bytes and
  /// then end with `…`.
  package private(set) var field: String?
  /// The value that was expected in `field`, in words.
  package private(set) var expected: String?
  /// The value that was found in `field`; nil if there was none.
  package private(set) var found: String?
  /// The explanation in words, for cases where the code and the fields above do not say everything; nil otherwise.
  package var detail: String?
  /// For duplicates: the key of the postback that came first.
  package var firstSeen: PostbackKey?
  /// For duplicates: the unsigned fields whose values differ from those of the first postback.
  package var conflicts: [UnsignedFields.Conflict] = []

  init(_ code: RejectCode, _ record: Record, _ claims: Claims, _ arrival: Arrival, detail: String? = nil) {
    self.code = code
    self.record = record
    self.claims = claims
    self.arrival = arrival
    self.detail = detail
  }

  init(_ code: RejectCode, _ parsed: Parsed, detail: String? = nil) {
    self.init(code, parsed.record, parsed.claims, parsed.arrival, detail: detail)
  }

  init(_ defect: PostbackDefect, _ record: Record, _ claims: Claims, _ arrival: Arrival, of bytes: [UInt8]) {
    self.init(defect.code, record, claims, arrival, detail: defect.detail)
    name(defect.field, expected: defect.expected, found: nil)
    found = defect.found.map { Self.excerpt(bytes[$0.indices]) }
  }

  /// Sets the field that is wrong with its expected and found value, each cut as `excerpt(_:)` does.
  mutating func name(_ field: String?, expected: String?, found: String?) {
    self.field = field.map { Self.excerpt($0.utf8) }
    self.expected = expected.map { Self.excerpt($0.utf8) }
    self.found = found.map { Self.excerpt($0.utf8) }
  }

  /// Returns at most the first 200 bytes of a text, so that it fits a table cell, followed by `…` if it is longer. The
  /// raw bytes of the record hold all of it.
  static func excerpt(_ text: some BidirectionalCollection<UInt8>) -> String {
    guard var end = text.index(text.startIndex, offsetBy: excerptLength, limitedBy: text.endIndex), end < text.endIndex
    else { return String(decoding: text, as: UTF8.self) }
    // Not in the middle of a character: continuation bytes are 10xxxxxx.
    while end > text.startIndex, text[end] & 0xC0 == 0x80 { end = text.index(before: end) }
    return String(decoding: text[..<end], as: UTF8.self) + "…"
  }

  private static let excerptLength = 200

  /// An explanation of the rejection: `detail` if given, else the field with its values, else the meaning of the code.
  package var explanation: String {
    if let detail { return detail }
    if let field, let expected {
      guard let found else { return "\(field) is not there; expected \(expected)" }
      return "\(field) is \(found); expected \(expected)"
    }
    return code.explanation
  }
}
