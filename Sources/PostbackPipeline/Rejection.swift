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
    found = defect.found.map { PostbackDefect.excerpt(bytes[$0.indices]) }
  }

  /// Makes the rejection of a postback that was removed on a person's request, without its bytes and its transaction.
  init(forgotten parsed: Parsed, _ key: PostbackKey) {
    self.init(.duplicateForgotten, parsed)
    firstSeen = key
    let nothing = ByteRange(start: record.bytes.indices.lowerBound, count: 0)
    (record.bytes, claims.transactionID) = (nothing, nothing)
    (arrival.query, arrival.remoteAddress) = (nil, nil)
  }

  /// Makes the rejection of a piece of such a postback that the parser refused: nothing of it can be trusted, and nothing is
  /// kept.
  init(forgotten piece: Rejection, _ key: PostbackKey) {
    var record = piece.record
    record.bytes = ByteRange(start: record.bytes.indices.lowerBound, count: 0)
    record.defect = nil
    self.init(.duplicateForgotten, record, Claims(empty: record.bytes), piece.arrival)
    firstSeen = key
    (arrival.query, arrival.remoteAddress) = (nil, nil)
  }

  /// Sets the field that is wrong with its expected and found value, each cut as `PostbackDefect.excerpt(_:)` does.
  mutating func name(_ field: String?, expected: String?, found: String?) {
    self.field = field.map { PostbackDefect.excerpt($0.utf8) }
    self.expected = expected.map { PostbackDefect.excerpt($0.utf8) }
    self.found = found.map { PostbackDefect.excerpt($0.utf8) }
  }

  /// An explanation of the rejection: `detail` if given, else the field with its values, else the meaning of the code.
  package var explanation: String {
    code.explanation(of: field, expected: expected, found: found, detail: detail)
  }
}
