internal import Analysis
internal import Base
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import Tables

/// The inline values of the copies in a batch of rejects.
///
/// A device's own copy of a postback has none and may come first, so that only a later copy names the campaign.
struct InlineCopies: Sendable {
  /// The number of copies, also of those without inline values.
  let count: Int
  /// The inline values of each copy that has any.
  let records: CopyCollector.Records
  /// The lines that are not rows.
  let unreadable: UnreadableRows
}

extension InlineCopies {
  /// Reads the copies in a batch of rows of `skan_rejects`.
  init(_ batch: RawBatch, _ columns: RejectColumns) {
    var (count, records) = (0, CopyCollector.Records())
    var reader = InlineReader()
    unreadable = columns.forEachCopy(in: batch) { cursor, key, copy in
      count += 1
      guard let copy, let extras = copy.postback.extras else { return }
      let receivedAt = cursor.time(columns.receivedAt)
      let inline = reader.read(copy.body[extras.indices], receivedAt: receivedAt)
      guard inline.hasCampaign || inline.forwardedAt != nil || inline.isTest else { return }
      records.append((key, inline.record(receivedAt: receivedAt)))
    }
    (self.count, self.records) = (count, records)
  }
}

extension CopyCollector {
  /// The inline values of all copies among rejects, for the rows of `accepted`.
  struct Inline {
    /// The values, batch by batch of the accepted rows.
    let join: CopyJoin
    /// The number of copies, also of those without inline values.
    let count: Int
    /// The lines that are not rows.
    let unreadable: UnreadableRows
  }

  /// Collects the inline values of copies. They take memory of about twice `bufferBytes`.
  static func inline(
    among rejects: TableFiles,
    of accepted: TableFiles,
    in folder: String,
    bufferBytes: Int = RecordSorter.usualBufferBytes,
    jobs: Int
  ) async throws(PipelineFailure) -> Inline {
    let copies = CopyCollector(in: folder, bufferBytes: bufferBytes)
    var count = 0
    var unreadable = UnreadableRows()
    let columns = RejectColumns()
    try await rejects.scan(jobs: jobs) {
      InlineCopies($0, columns)
    } take: { batch throws(PipelineFailure) in
      try copies.add(batch.records)
      count += batch.count
      unreadable += batch.unreadable
    }
    let join = try await copies.join(accepted, jobs: jobs, contentStart: InlineValues.contentStart) { earlier, later in
      if later.lexicographicallyPrecedes(earlier) { earlier = later }
    }
    return Inline(join: join, count: count, unreadable: unreadable)
  }
}

extension InlineValues {
  /// The number of bytes of a record before its content: those of the time.
  static let contentStart = 8

  /// The values of a copy that was received at a time, as bytes: the time, so that the order of records is that of the times,
  /// and an unknown one is last; the values that are not texts; and then each text with its length before it.
  func record(receivedAt: Int64?) -> [UInt8] {
    let time = UInt64(bitPattern: receivedAt ?? .max) ^ 1 << 63
    var record = (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
    record.append(UInt8(hasWrongTime ? 1 : 0) | UInt8(isTest ? 2 : 0))
    record.append(littleEndian: forwardedAt ?? .min)
    for field in Field.allCases {
      record.append(littleEndian: self[field].map { UInt32($0.utf8.count) } ?? .max)
      record += self[field]?.utf8 ?? "".utf8
    }
    return record
  }

  /// Joins the records of the copies of a postback: the campaign, the ad group and the creative, each with its name, and the time
  /// of forwarding are those of the first copy that has them. The postback is a test if a copy says so.
  init(ofCopies records: [[UInt8]]) {
    self.init()
    for record in records.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let copy = InlineValues(record[...])
      for level in 0..<Field.allCases.count / 2 {
        let fields = Field.allCases[2 * level...2 * level + 1]
        guard fields.allSatisfy({ self[$0] == nil }) else { continue }
        for field in fields { if let value = copy[field] { set(field, value) } }
      }
      forwardedAt = forwardedAt ?? copy.forwardedAt
      isTest = isTest || copy.isTest
      hasWrongTime = hasWrongTime || copy.hasWrongTime
    }
  }

  /// Reads the bytes of a record.
  init(_ record: ArraySlice<UInt8>) {
    let record = record.dropFirst(Self.contentStart)
    hasWrongTime = record.integer(at: 0, as: UInt8.self) & 1 != 0
    isTest = record.integer(at: 0, as: UInt8.self) & 2 != 0
    let time: Int64 = record.integer(at: 1)
    forwardedAt = time == .min ? nil : time
    var place = record.startIndex + 9
    for field in Field.allCases {
      let count: UInt32 = record[place...].integer(at: 0)
      place += 4
      guard count != .max else { continue }
      set(field, String(decoding: record[place..<place + Int(count)], as: UTF8.self))
      place += Int(count)
    }
  }
}
