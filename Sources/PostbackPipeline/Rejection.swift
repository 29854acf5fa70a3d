package import PostbackVerification
internal import JSON
package import SKAdNetwork

/// The reason why a record was rejected, with the details that an analyst needs.
///
/// A class, because each later stage hands it on and would otherwise copy it.
package final class Rejection: Sendable {
  /// The stable reject code.
  package let code: RejectCode
  /// The record. Its bytes are kept for the reject row.
  package let record: Record
  /// The ids and the version that the record claims. They are not verified.
  package let claims: Claims
  /// The time of receipt and the channel.
  package let arrival: Arrival
  /// The explanation in words, for cases where the code and the mismatch do not say everything; nil otherwise.
  package let detail: String?
  /// For duplicates: the key of the postback that came first.
  package let firstSeen: PostbackKey?
  /// For duplicates: the unsigned fields whose values differ from those of the first postback.
  package let conflicts: [UnsignedFields.Conflict]
  private let mismatch: Mismatch

  /// The field that is wrong; nil if no single field is. This text, `expected` and `found` are cut at 200 bytes and
  /// then end with `…`.
  package var field: String? { mismatch.field }
  /// The value that was expected in `field`, in words.
  package var expected: String? { mismatch.expected }
  /// The value that was found in `field`; nil if there was none.
  package var found: String? { mismatch.found }

  /// A field that is wrong, with its expected and found value, each cut as `PostbackDefect.excerpt(_:)` does.
  struct Mismatch {
    private(set) var field: String?
    private(set) var expected: String?
    private(set) var found: String?

    /// The mismatch of a field; by default of no single one.
    init(_ field: String? = nil, expected: String? = nil, found: String? = nil) {
      self.field = field.map { PostbackDefect.excerpt($0.utf8) }
      self.expected = expected.map { PostbackDefect.excerpt($0.utf8) }
      self.found = found.map { PostbackDefect.excerpt($0.utf8) }
    }

    init(_ defect: PostbackDefect, of bytes: [UInt8]) {
      self.init(defect.field, expected: defect.expected, found: nil)
      found = defect.found.map { PostbackDefect.excerpt(bytes[$0.indices]) }
    }

    func explanation(of code: RejectCode, detail: String?) -> String {
      code.explanation(of: field, expected: expected, found: found, detail: detail)
    }
  }

  init(
    _ code: RejectCode,
    _ record: Record,
    _ claims: Claims,
    _ arrival: Arrival,
    _ mismatch: Mismatch = Mismatch(),
    detail: String? = nil,
    firstSeen: PostbackKey? = nil,
    conflicts: [UnsignedFields.Conflict] = []
  ) {
    self.code = code
    self.record = record
    self.claims = claims
    self.arrival = arrival
    self.mismatch = mismatch
    self.detail = detail
    self.firstSeen = firstSeen
    self.conflicts = conflicts
  }

  convenience init(_ code: RejectCode, _ parsed: Parsed, _ mismatch: Mismatch = Mismatch(), detail: String? = nil) {
    self.init(code, parsed.record, parsed.claims, parsed.arrival, mismatch, detail: detail)
  }

  /// Makes the rejection of a record that cannot be parsed. `remark` is one more sentence about its request.
  convenience init(
    _ defect: PostbackDefect,
    _ record: Record,
    _ claims: Claims,
    _ arrival: Arrival,
    remark: String?,
    of bytes: [UInt8]
  ) {
    let mismatch = Mismatch(defect, of: bytes)
    let detail = remark.map { "\(mismatch.explanation(of: defect.code, detail: defect.detail)) \($0)" }
    self.init(defect.code, record, claims, arrival, mismatch, detail: detail ?? defect.detail)
  }

  /// Makes the rejection of a postback that was removed on a person's request, without its bytes and its transaction.
  convenience init(forgotten parsed: Parsed, _ key: PostbackKey) {
    let record = parsed.record.removed
    var (claims, arrival) = (parsed.claims, parsed.arrival)
    claims.transactionID = record.bytes
    (arrival.query, arrival.remoteAddress) = (nil, nil)
    self.init(.duplicateForgotten, record, claims, arrival, firstSeen: key)
  }

  /// Makes the rejection of a piece of such a postback that the parser refused: nothing of it can be trusted, and nothing is
  /// kept.
  convenience init(forgotten piece: Rejection, _ key: PostbackKey) {
    var (record, arrival) = (piece.record.removed, piece.arrival)
    record.defect = nil
    (arrival.query, arrival.remoteAddress) = (nil, nil)
    self.init(.duplicateForgotten, record, Claims(empty: record.bytes), arrival, firstSeen: key)
  }

  /// An explanation of the rejection: `detail` if given, else the field with its values, else the meaning of the code.
  package var explanation: String { mismatch.explanation(of: code, detail: detail) }
}

extension Record {
  /// The record without its bytes.
  fileprivate var removed: Record {
    var record = self
    record.bytes = ByteRange(start: bytes.indices.lowerBound, count: 0)
    return record
  }
}
