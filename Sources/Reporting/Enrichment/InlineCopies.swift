internal import Analysis
internal import Base
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Tables

/// The inline values of the copies of accepted postbacks, which are among the rejects.
///
/// A device's own copy has none and may come first, so that only a later copy names the campaign.
struct InlineCopies: Sendable {
  private var numbers: [PostbackDigits: UInt32] = [:]
  private var values: [InlineValues] = []
  private var known: [InlineValues: UInt32] = [:]
  /// The number of copies that were read.
  private(set) var count = 0

  /// The values of the first copy that has any; nil if there is none.
  subscript(key: PostbackDigits) -> InlineValues? { numbers[key].map { values[Int($0)] } }

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
    fileprivate(set) var found: [(PostbackDigits, InlineValues)] = []
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
        let key = cursor.digits(columns.firstSeen)
      else { continue }
      count += 1
      guard var body = cursor.raw(columns) else { continue }
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
  let code = Table.rejects.place("reject_code")
  let firstSeen = Table.rejects.place("first_seen_postback_key")
  let receivedAt = Table.rejects.place("received_at")
  let body = Table.rejects.place("raw_body")
  let bodyBase64 = Table.rejects.place("raw_body_base64")

  /// The codes of copies.
  static let copies: Set<String> = [RejectCode.duplicateIdentical.rawValue, RejectCode.duplicateConflict.rawValue]
}

/// The key of a postback, as 128 bits.
struct PostbackDigits: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// The key in 32 hexadecimal digits; nil for another text.
  init?(_ text: Span<UInt8>) {
    guard text.count == 32 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for index in text.indices {
      guard let digit = text[index].hexadecimalValue else { return nil }
      if index < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
    }
    (high, low) = words
  }
}

extension RowCursor {
  /// The key of a postback in a cell; nil if there is none.
  func digits(_ column: Int) -> PostbackDigits? {
    cell(column).flatMap { PostbackDigits(bytes.span.extracting($0.indices)) }
  }

  /// The time in a cell, in milliseconds since 1970; nil if there is none.
  func time(_ column: Int) -> Int64? {
    cell(column).flatMap { Timestamp(parsing: bytes.span.extracting($0.indices))?.milliseconds }
  }

  fileprivate func raw(_ columns: RejectColumns) -> [UInt8]? {
    if let body = cell(columns.body) { return Array(bytes[body.indices]) }
    guard let encoded = cell(columns.bodyBase64) else { return nil }
    var raw: [UInt8] = []
    return Base64.standard.decode(bytes.span.extracting(encoded.indices), appendingTo: &raw) ? raw : nil
  }
}
