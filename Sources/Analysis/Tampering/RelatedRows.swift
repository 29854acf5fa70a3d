internal import Base
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork

/// A reader of postbacks from rows of both tables.
struct RelatedRows: Sendable {
  private let filter: RowFilter
  private let code = Table.rejects.place("reject_code")
  private let digest = Table.rejects.place("raw_sha256")
  private let body = Table.rejects.place("raw_body")
  private let encodedBody = Table.rejects.place("raw_body_base64")
  private let rejectChannel = Table.rejects.place("channel")
  private let rejectForwarder = Table.rejects.place("forwarder")
  private let rejectTime = Table.rejects.place("received_at")

  private let fields = AcceptedFields()
  private let postbackKey = Table.postbacks.place("postback_key")
  private let channel = Table.postbacks.place("channel")
  private let forwarder = Table.postbacks.place("forwarder")
  private let time = Table.postbacks.place("received_at")

  /// Creates a reader of the rejects that match `query`, and of all accepted postbacks.
  init(_ query: RejectQuery) { filter = RowFilter(query.conditions, during: query.span, in: .rejects) }

  /// Returns the results of `make`, without nil, for the rejects that match and can be read as a postback.
  func rejects<Part>(in batch: RawBatch, _ make: (RelatedPostback, borrowing RowCursor) -> Part?) -> [Part] {
    var parts: [Part] = []
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard filter.matches(row), let postback = RelatedPostback(record: record(row)) else { continue }
      if let part = make(postback, row) { parts.append(part) }
    }
    return parts
  }

  /// Returns the results of `make`, without nil, for all accepted postbacks with a known framework.
  func accepted<Part>(in batch: RawBatch, _ make: (RelatedPostback, borrowing RowCursor) -> Part?) -> [Part] {
    var parts: [Part] = []
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard let framework = fields.framework(row) else { continue }
      let postback = RelatedPostback(accepted: framework, fields.values(row, of: framework))
      if let part = make(postback, row) { parts.append(part) }
    }
    return parts
  }

  func rejectedMember(_ row: borrowing RowCursor, _ values: [Field: [UInt8]]) -> RelatedRejects.Member {
    RelatedRejects.Member(
      code: row.text(code) ?? "",
      key: row.text(digest) ?? "",
      origin: CopyOrigin(channel: row.text(rejectChannel), forwarder: row.text(rejectForwarder)),
      receivedAt: row.text(rejectTime),
      values: values
    )
  }

  func acceptedMember(_ row: borrowing RowCursor, _ values: [Field: [UInt8]]) -> RelatedRejects.Member {
    RelatedRejects.Member(
      code: nil,
      key: row.text(postbackKey) ?? "",
      origin: CopyOrigin(channel: row.text(channel), forwarder: row.text(forwarder)),
      receivedAt: row.text(time),
      values: values
    )
  }

  private func record(_ row: borrowing RowCursor) -> [UInt8] {
    if let cell = row.cell(body) { return Array(row.bytes[cell.indices]) }
    var record: [UInt8] = []
    guard let cell = row.cell(encodedBody) else { return record }
    _ = Base64.standard.decode(row.bytes[cell.indices].span, appendingTo: &record)
    return record
  }
}
