internal import Base
internal import InputForms
internal import JSON
package import SKAdNetwork

/// A postback that is well formed. None of its values is verified yet.
///
/// A class, because each later stage hands it on and would otherwise copy it.
package final class Parsed: Sendable {
  /// The record that the postback was parsed from, without the envelope around it.
  package let record: Record
  /// The fields of the postback.
  package let postback: Postback
  /// The ids and the version that the postback claims, as text.
  package let claims: Claims
  /// The time of receipt and the channel.
  package let arrival: Arrival

  fileprivate init(_ postback: Postback, of record: Record, _ claims: Claims, _ arrival: Arrival) {
    self.record = record
    self.postback = postback
    self.claims = claims
    self.arrival = arrival
  }

  /// Returns the postback in the form that is signed under `layout`, for which its signature is valid.
  package func restoringSigned(_ layout: SignedLayout) -> Parsed {
    guard postback.differs(from: layout) else { return self }
    var postback = postback
    postback.restoreSigned(layout)
    return Parsed(postback, of: record, claims, arrival)
  }
}

extension RawBatch {
  /// Parses each record as a postback, with or without an envelope.
  ///
  /// Rejects records that are not a JSON object that could be a postback (stage `parse`), and those that are not a
  /// postback of the version that they claim (stage `schema`). `rule` gives the time of receipt if no envelope does.
  ///
  /// Unless `keepsAddresses` is true, members with addresses are left out of the extras.
  package consuming func parsed(receivedAt rule: ReceivedAtRule, keepsAddresses: Bool = false) -> Batch<Parsed> {
    RecordParser(rule: rule, keepsAddresses: keepsAddresses).parse(self)
  }
}

/// Parses the records of a batch.
private final class RecordParser {
  private var parser: PostbackParser
  private let rule: ReceivedAtRule
  /// The forwarder that the context of the input names, in the bytes of the batch.
  private var forwarder: ByteRange?
  /// The unwrapper of the input's records, if it has a mapping.
  private var unwrapper: Unwrapper?

  init(rule: ReceivedAtRule, keepsAddresses: Bool) {
    parser = PostbackParser(receivedAtField: rule.field, dropsPersonalMembers: !keepsAddresses)
    self.rule = rule
  }

  func parse(_ batch: consuming RawBatch) -> Batch<Parsed> {
    var outcomes: [Outcome<Parsed>] = []
    outcomes.reserveCapacity(batch.records.count)
    for origin in batch.origins {
      use(origin.input.form.mapping)
      forwarder = origin.input.context.forwarder.map { name in
        batch.bytes += name.utf8
        return ByteRange(start: batch.bytes.count - name.utf8.count, count: name.utf8.count)
      }
      for record in batch.records[outcomes.count..<outcomes.count + origin.recordCount] {
        outcomes.append(parse(record, from: origin, &batch.bytes))
      }
    }
    return Batch(bytes: batch.bytes, outcomes: outcomes, origins: batch.origins)
  }

  private func use(_ mapping: Mapping?) {
    guard let mapping else {
      unwrapper = nil
      return
    }
    if unwrapper?.mapping != mapping { unwrapper = Unwrapper(mapping) }
  }

  /// Returns the range of the text to parse: that of the record, or of the envelope that its mapping makes of it, which is
  /// appended to the bytes. A record of another form stays as it is.
  private func text(of record: Record, _ bytes: inout [UInt8]) -> Range<Int> {
    guard let envelope = unwrapper?.envelope(of: Array(bytes[record.bytes.indices])) else {
      return record.bytes.indices
    }
    let start = bytes.count
    bytes += envelope
    bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    return start..<start + envelope.count
  }

  private func parse(_ record: Record, from origin: BatchOrigin, _ bytes: inout [UInt8]) -> Outcome<Parsed> {
    if let defect = record.defect {
      let arrival = arrival(of: .absent, from: origin, bytes)
      return .rejected(Rejection(defect, record, arrival))
    }
    do throws(PostbackDefect) {
      return .accepted(
        Parsed(
          try parser.parse(text(of: record, &bytes), of: &bytes, query: origin.reprocessed?.arrival.query),
          of: unwrapped(record),
          parser.claims,
          try arrival(from: origin, bytes)
        )
      )
    } catch {
      let record = unwrapped(record)
      var defect = error
      if defect.code == .notJSON, bytes.span.extracting(record.bytes.indices).isUTF16 {
        (defect.code, defect.detail) = (.invalidUTF8, "The text is UTF-16. Save it as UTF-8.")
      }
      let arrival = claimedArrival(from: origin, bytes)
      let others = parser.envelope?.leftOut.map { count in
        "\(count) more records of the same request have nothing of a postback either, and were not stored."
      }
      return .rejected(Rejection(defect, record, parser.claims, arrival, remark: others, of: bytes))
    }
  }

  /// Returns the record that was parsed last, less the envelope around it.
  private func unwrapped(_ record: Record) -> Record {
    guard parser.isUnwrapped else { return record }
    var record = record
    record.bytes = ByteRange(start: parser.body.lowerBound, count: parser.body.count)
    record.isUnwrapped = true
    return record
  }

  private func arrival(from origin: BatchOrigin, _ bytes: [UInt8]) throws(PostbackDefect) -> Arrival {
    let arrival = claimedArrival(from: origin, bytes)
    if let text = parser.envelope?.receivedAt, arrival.source != .envelope { throw .receivedAt(text) }
    return arrival
  }

  /// The time, channel and forwarder of a record without an envelope, whose `receivedAtField` has a value.
  private func arrival(of field: JSONField, from origin: BatchOrigin, _ bytes: [UInt8]) -> Arrival {
    if let arrival = origin.reprocessed?.arrival { return arrival }
    var arrival = rule.arrival(of: field, in: bytes, from: origin.input)
    (arrival.channel, arrival.forwarder) = (origin.input.context.channel, forwarder)
    return arrival
  }

  /// The time, channel and forwarder of the record; members of its envelope that can be read count.
  private func claimedArrival(from origin: BatchOrigin, _ bytes: [UInt8]) -> Arrival {
    var arrival = arrival(of: parser.receivedAtField, from: origin, bytes)
    guard let envelope = parser.envelope else { return arrival }
    if let text = envelope.receivedAt, let time = Timestamp(parsing: bytes.span.extracting(text.indices)) {
      (arrival.receivedAt, arrival.source) = (time, .envelope)
    }
    let context = origin.input.context
    // What a device sent has no forwarder, and what a forwarder sent is not a device's.
    arrival.forwarder = envelope.forwarder ?? (envelope.channel == .appleDirect ? nil : forwarder)
    let isContradicted = envelope.forwarder != nil && context.channel == .appleDirect
    arrival.channel = envelope.channel ?? (isContradicted ? nil : context.channel)
    (arrival.query, arrival.remoteAddress) = (envelope.query, envelope.remoteAddress)
    return arrival
  }
}

extension Rejection {
  /// The rejection of a record that already has a framing defect and is not parsed.
  fileprivate convenience init(_ defect: FramingDefect, _ record: Record, _ arrival: Arrival) {
    switch defect {
    case .tooLarge(let byteCount, _):
      self.init(
        .tooLarge,
        record,
        Claims(),
        arrival,
        detail:
          "The record has \(byteCount) bytes. Its first \(record.bytes.count) are kept; raw_sha256 is the digest of all."
      )
    case .truncatedInput(let reason):
      self.init(.truncatedInput, record, Claims(), arrival, detail: reason)
    case .byteOrderMark:
      self.init(
        .notJSON,
        record,
        Claims(),
        arrival,
        detail: "The input begins with a byte order mark, which JSON does not allow. The records after it were read."
      )
    }
  }
}

extension Span<UInt8> {
  /// Indicates text that is UTF-16, or a piece of it: about half of the first bytes are zero, of which JSON has none. A lost
  /// block of a disk has zeros alone.
  package var isUTF16: Bool {
    let start = Swift.min(count, 64)
    let zeros = (0..<start).count { self[$0] == 0 }
    return zeros * 3 >= start && zeros < start
  }
}
