internal import Base
internal import JSON
internal import PostbackPipeline
package import PostbackVerification
package import SKAdNetwork
package import TableReading
package import Tables

/// A copy of a postback, or several with the same content from the same sender.
package struct PostbackCopy: Hashable, Sendable {
  /// The time of the first of them in milliseconds since 1970; the greatest number if it is not known.
  package var receivedAt: Int64
  /// The time of the last of them that tell it themselves; the least number if none does.
  package var lastReceivedAt = Int64.min
  /// The number of the copies.
  package var count = 1
  /// The channel; nil if the envelope does not give it.
  package let channel: Channel?
  /// The name of the forwarder; nil if the envelope does not give it.
  package let forwarder: String?
  /// The unsigned values.
  package let values: UnsignedValues
  /// Indicates that the conversion value is 0 and that other fields are empty, as a forwarder leaves them that writes missing
  /// values as 0.
  package var isZeroFilled = false
  /// Indicates that the fields of one of them are impossible under Apple's data tiers.
  package var isImpossible = false

  package init(
    receivedAt: Int64,
    lastReceivedAt: Int64 = .min,
    count: Int = 1,
    channel: Channel?,
    forwarder: String?,
    values: UnsignedValues,
    isZeroFilled: Bool = false,
    isImpossible: Bool = false
  ) {
    (self.receivedAt, self.lastReceivedAt, self.count) = (receivedAt, lastReceivedAt, count)
    (self.channel, self.forwarder, self.values) = (channel, forwarder, values)
    (self.isZeroFilled, self.isImpossible) = (isZeroFilled, isImpossible)
  }

  /// The time that stands for an unknown one.
  package static let unknownTime = Int64.max
  /// The number of bytes of a record before its content.
  static let contentStart = 20
  private static let zeroFilledBit: UInt8 = 4
  private static let impossibleBit: UInt8 = 8

  /// Indicates that a device sent the copy itself, by its channel.
  package var isDirect: Bool { channel == .appleDirect }

  /// Indicates that the receiver knows the forwarder. It names only those that authenticate themselves.
  package var isAuthenticated: Bool { channel == .networkForwarded && forwarder != nil }

  /// The time of receipt; nil if it is not known.
  package var time: Int64? { receivedAt == Self.unknownTime ? nil : receivedAt }

  /// Tells if both have the same content from the same sender.
  func isSame(as other: PostbackCopy) -> Bool {
    channel == other.channel && values == other.values && forwarder?.exact == other.forwarder?.exact
      && isZeroFilled == other.isZeroFilled
  }

  /// Orders copies by the time of receipt, and then by their content, so that they have one order whatever order they
  /// came in.
  func precedes(_ other: PostbackCopy) -> Bool {
    receivedAt == other.receivedAt ? precedesByContent(other) : receivedAt < other.receivedAt
  }

  /// Orders copies by their content and sender alone.
  func precedesByContent(_ other: PostbackCopy) -> Bool {
    if channel != other.channel { return channel.order < other.channel.order }
    let (name, otherName) = ((forwarder ?? "").exact, (other.forwarder ?? "").exact)
    if name != otherName { return name < otherName }
    if values != other.values { return values < other.values }
    return !isZeroFilled && other.isZeroFilled
  }
}

extension Channel? {
  fileprivate var order: Int {
    switch self {
    case .appleDirect: 0
    case .networkForwarded: 1
    case nil: 2
    }
  }
}

extension [PostbackCopy] {
  /// The copies in their order, with those of the same content and sender merged.
  package var merged: [PostbackCopy] {
    guard count > 1 else { return self }
    var merged: [PostbackCopy] = []
    for copy in sorted(by: { $0.precedesByContent($1) }) {
      if let last = merged.last, last.isSame(as: copy) {
        merged[merged.count - 1].count += copy.count
        merged[merged.count - 1].receivedAt = Swift.min(last.receivedAt, copy.receivedAt)
        merged[merged.count - 1].lastReceivedAt = Swift.max(last.lastReceivedAt, copy.lastReceivedAt)
        merged[merged.count - 1].isImpossible = last.isImpossible || copy.isImpossible
      } else {
        merged.append(copy)
      }
    }
    return merged.sorted { $0.precedes($1) }
  }
}

// MARK: - Records of the copy join

extension PostbackCopy {
  /// The copy as bytes: the first and the last time, the number of copies, and then the content with its length before it. The
  /// time is a part of the content of a device's own copy, because it decides if the copy counts.
  var record: [UInt8] {
    var record: [UInt8] = []
    record.append(littleEndian: receivedAt)
    record.append(littleEndian: UInt32(count))
    record.append(littleEndian: lastReceivedAt)
    var content = [
      UInt8(channel.order) | (isZeroFilled ? Self.zeroFilledBit : 0) | (isImpossible ? Self.impossibleBit : 0)
    ]
    if isDirect { content.append(littleEndian: receivedAt) }
    content += values.record
    content += (forwarder ?? "").utf8
    record.append(littleEndian: UInt32(content.count))
    return record + content
  }

  /// Reads a copy from bytes.
  package init(record: ArraySlice<UInt8>) {
    receivedAt = record.integer(at: 0)
    count = Int(record.integer(at: 8, as: UInt32.self))
    lastReceivedAt = record.integer(at: 12)
    var content = Self.content(of: record)
    let order = content.removeFirst()
    isZeroFilled = order & Self.zeroFilledBit != 0
    isImpossible = order & Self.impossibleBit != 0
    let channelOrder = order & ~(Self.zeroFilledBit | Self.impossibleBit)
    channel = channelOrder == 0 ? .appleDirect : channelOrder == 1 ? .networkForwarded : nil
    if channel == .appleDirect { content = content.dropFirst(8) }
    values = UnsignedValues(record: content)
    let name = content.dropFirst(UnsignedValues.recordBytes)
    forwarder = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  /// The content of a record.
  private static func content(of record: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let content = record.dropFirst(contentStart)
    return content.dropFirst(4).prefix(Int(content.integer(at: 0, as: UInt32.self)))
  }

  /// The record of a copy without the inline values behind it.
  package static func withoutInline(_ record: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    record[..<content(of: record).endIndex]
  }

  /// The inline values behind a record, as their own record; nil if there are none.
  package static func inlineRecord(behind record: ArraySlice<UInt8>) -> [UInt8]? {
    let values = record[content(of: record).endIndex...]
    return values.isEmpty ? nil : InlineValues.recordStart(receivedAt: record.integer(at: 0)) + values
  }

  /// Merges the record of a later copy with the same content into that of an earlier one.
  static func merge(_ earlier: inout [UInt8], _ later: ArraySlice<UInt8>) {
    let time: Int64 = Swift.min(earlier.integer(at: 0), later.integer(at: 0))
    let count = earlier.integer(at: 8, as: UInt32.self).addingReportingOverflow(later.integer(at: 8)).partialValue
    let content = earlier.dropFirst(contentStart)
    var merged: [UInt8] = []
    merged.append(littleEndian: time)
    merged.append(littleEndian: count)
    merged.append(littleEndian: Swift.max(earlier.integer(at: 12), later.integer(at: 12)) as Int64)
    earlier = merged + content
  }
}

/// The copies of accepted postbacks in a batch of rejects.
package struct RejectedCopies: Sendable {
  /// The keys of the postbacks, each with the record of a copy, and with the inline values behind it.
  package let records: [(key: PostbackKey, record: [UInt8])]
  /// The number of copies whose bodies could not be read.
  package let unreadableBodies: Int
  /// The lines that are not rows.
  package let unreadable: UnreadableRows

  /// Reads the copies in a batch of rows of `skan_rejects`.
  init(_ batch: RawBatch, _ columns: RejectColumns) { self.init(columns.cursor(batch), columns, nil) }

  /// Reads the copies in rows of `skan_rejects` that pass a filter.
  package init(_ rows: ParsedRows, _ columns: RejectColumns, _ filter: RowFilter?) {
    self.init(RowCursor(rows), columns, filter)
  }

  private init(_ rows: consuming RowCursor, _ columns: RejectColumns, _ filter: RowFilter?) {
    var records: [(PostbackKey, [UInt8])] = []
    var unreadableBodies = 0
    var reader = InlineReader()
    unreadable = columns.forEachCopy(in: rows) { cursor, key, copy in
      guard filter?.matches(cursor) ?? true else { return }
      guard let copy else {
        unreadableBodies += 1
        return
      }
      let receivedAt = cursor.time(columns.receivedAt)
      let read = PostbackCopy(
        receivedAt: receivedAt ?? PostbackCopy.unknownTime,
        lastReceivedAt: cursor.timeOfRecord(columns.receivedAt, source: columns.receivedAtSource) ?? .min,
        channel: cursor.text(columns.channel).flatMap { Channel(rawValue: $0) },
        forwarder: cursor.text(columns.forwarder),
        values: UnsignedValues(copy.postback),
        isZeroFilled: copy.postback.conversionValue == 0
          && (copy.postback.sourceAppID == 0 || copy.postback.sourceDomain?.count == 0),
        isImpossible: copy.postback.tierFlags.tellEdits(fineValue: copy.postback.conversionValue.map { Int64($0) })
      )
      let inline = copy.postback.extras.map { reader.read(copy.body[$0.indices], receivedAt: receivedAt) }
      records.append((key, read.record + (inline?.content ?? [])))
    }
    (self.records, self.unreadableBodies) = (records, unreadableBodies)
  }
}
