internal import Analysis
internal import Base
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import Tables

/// The inline values of the copies of accepted postbacks, which are among the rejects.
///
/// A device's own copy has none and may come first, so that only a later copy names the campaign.
struct InlineCopies: Sendable {
  private var numbers: [PostbackKey: UInt32] = [:]
  private var values: [InlineValues] = []
  private var known: [InlineValues: UInt32] = [:]
  /// The number of copies that were read.
  private(set) var count = 0

  /// The values of the first copy that has any; nil if there is none.
  subscript(key: PostbackKey) -> InlineValues? { numbers[key].map { values[Int($0)] } }

  /// Adds the copies of a batch.
  mutating func add(_ batch: Batch) {
    count += batch.count
    for (key, inline) in batch.found where numbers[key] == nil {
      let number = known[inline] ?? UInt32(values.count)
      if known.updateValue(number, forKey: inline) == nil { values.append(inline) }
      numbers[key] = number
    }
  }

  /// The inline values of the copies in a batch of rejects.
  struct Batch: Sendable {
    fileprivate(set) var count = 0
    fileprivate(set) var found: [(PostbackKey, InlineValues)] = []
    fileprivate(set) var unreadable = UnreadableRows()
  }
}

extension InlineCopies.Batch {
  /// Reads the copies in a batch of rows of `skan_rejects`.
  init(_ batch: RawBatch, _ columns: RejectColumns) {
    var cursor = RowCursor(batch, of: .rejects)
    var parser = PostbackParser()
    var reader = InlineReader()
    while cursor.next() {
      guard let code = cursor.text(columns.code), RejectColumns.copies.contains(code),
        let key = cursor.key(columns.firstSeen)
      else { continue }
      count += 1
      guard var body = cursor.rawBody(columns.body, base64: columns.bodyBase64) else { continue }
      let length = body.count
      body.append(contentsOf: repeatElement(0, count: JSONParser.padding))
      guard let postback = try? parser.parse(0..<length, of: &body), let extras = postback.extras else { continue }
      let time = cursor.time(columns.receivedAt)
      let inline = reader.read(body[extras.indices], receivedAt: time)
      if inline.hasCampaign || inline.forwardedAt != nil || inline.isTest { found.append((key, inline)) }
    }
    unreadable = cursor.unreadable
  }
}

/// The columns of `skan_rejects` that lead to the copies.
struct RejectColumns: Sendable {
  let code = Table.rejects.place(.rejectCode)
  let firstSeen = Table.rejects.place(.firstSeenPostbackKey)
  let receivedAt = Table.rejects.place(.receivedAt)
  let body = Table.rejects.place(.rawBody)
  let bodyBase64 = Table.rejects.place(.rawBodyBase64)

  /// The codes of copies.
  static let copies: Set<String> = [RejectCode.duplicateIdentical.rawValue, RejectCode.duplicateConflict.rawValue]
}
