internal import Base
internal import JSON
package import Ledger
package import Tables
internal import ConversionModel
package import Signatures

/// The format of the rows of a run: the encoding of the tables.
package struct RowFormat: Sendable {
  /// The encoding of the tables.
  let encoding: TableEncoding
  /// The rule by which the parts of a table are spread over folders; nil if all are in one.
  let partitioning: Partitioning?
  /// Indicates that rows have the network address of the sender.
  let keepsAddresses: Bool

  /// Makes the format of rows of tables with that encoding.
  package init(_ encoding: TableEncoding, _ partitioning: Partitioning? = nil, keepsAddresses: Bool = false) {
    (self.encoding, self.partitioning, self.keepsAddresses) = (encoding, partitioning, keepsAddresses)
  }
}

/// A value for each table that a run writes.
package struct TableValues<Value> {
  var postbacks: Value
  var events: Value
  var rejects: Value

  /// The values in the order of `Table.all`.
  package var all: [Value] { [postbacks, events, rejects] }

  init(_ postbacks: Value, _ events: Value, _ rejects: Value) {
    (self.postbacks, self.events, self.rejects) = (postbacks, events, rejects)
  }

  func map<New>(_ transform: (Value) -> New) -> TableValues<New> {
    TableValues<New>(transform(postbacks), transform(events), transform(rejects))
  }
}

extension TableValues: Sendable where Value: Sendable {}

/// A batch as rows. An accepted postback is one row of `skan_postbacks`, and one of `skan_events` for each event; a
/// rejected record is one row of `skan_rejects`.
package struct EncodedBatch: Sendable {
  /// The origins of the records, in their order.
  package let origins: [BatchOrigin]
  /// The counts of accepted and rejected records.
  package let tally: Tally
  /// The rows, by table and then by partition.
  package let portions: TableValues<[TablePortion]>
  /// The log entries of the accepted postbacks, for `seen.log`.
  package let firsts: [SeenEntry]

  /// Returns the log entries with another time, in milliseconds since 1970.
  func firsts(seenAt time: Int64) -> [SeenEntry] {
    firsts.map { entry in
      var entry = entry
      entry.seenAt = UInt32(clamping: time / 1000)
      return entry
    }
  }
}

extension Batch<Decoded> {
  /// Encodes each outcome as one row or more.
  package func encoded(as format: RowFormat) throws(LibcryptoFailure) -> EncodedBatch {
    var encoder = try BatchEncoder(format, inputBytes: bytes.count)
    let sources = origins.map { Source($0) }
    var portions = TableValues<[TablePortion]>([], [], [])
    func take(_ partition: String) {
      let taken = encoder.take(partition).map { $0.rows.count > 0 ? [$0] : [] }
      portions.postbacks += taken.postbacks
      portions.events += taken.events
      portions.rejects += taken.rejects
    }
    if let partitioning = format.partitioning {
      var days: [Int64?: [(outcome: Int, origin: Int)]] = [:]
      forEachOutcome { outcome, origin in
        days[outcomes[outcome].arrival.receivedAt?.daysSince1970, default: []].append((outcome, origin))
      }
      for (day, places) in days.sorted(by: { $0.key ?? .max < $1.key ?? .max }) {
        for place in places { try encoder.encode(outcomes[place.outcome], of: bytes, from: sources[place.origin]) }
        take(partitioning.name(of: day))
      }
    } else {
      try forEachOutcome { outcome, origin throws(LibcryptoFailure) in
        try encoder.encode(outcomes[outcome], of: bytes, from: sources[origin])
      }
      take("")
    }
    return EncodedBatch(origins: origins, tally: encoder.tally, portions: portions, firsts: encoder.firsts)
  }

  /// Calls `body` with the index of each outcome and that of its origin, in order.
  private func forEachOutcome<Failure: Error>(
    _ body: (_ outcome: Int, _ origin: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var outcome = 0
    for (origin, share) in origins.map(\.recordCount).enumerated() {
      for _ in 0..<share {
        try body(outcome, origin)
        outcome += 1
      }
    }
  }
}

/// The source of records, as rows give it.
private struct Source {
  let name: [UInt8]
  let inputID: UInt32

  init(_ origin: BatchOrigin) {
    name = Array(origin.sourceFile.utf8)
    // A record that was rejected before and is read again belongs to no input of this ledger.
    inputID = origin.reprocessed == nil ? origin.checkpoint?.input?.id ?? 0 : UInt32.max
  }
}

/// The encoders of a batch's rows, one for each table.
private struct BatchEncoder: ~Copyable {
  private(set) var tally = Tally()
  private(set) var firsts: [SeenEntry] = []

  private let format: RowFormat
  private var postbacks: RowEncoder
  private var events: RowEncoder
  private var rejects: RowEncoder
  private var received = TableValues<ReceiptSpan?>(nil, nil, nil)
  private var hash: SHA256
  private let now: Int64

  init(_ format: RowFormat, inputBytes: Int) throws(LibcryptoFailure) {
    self.format = format
    postbacks = RowEncoder(.postbacks, format.encoding, inputBytes: inputBytes)
    events = RowEncoder(.events, format.encoding, inputBytes: inputBytes)
    rejects = RowEncoder(.rejects, format.encoding, inputBytes: inputBytes)
    hash = try SHA256()
    now = Timestamp.now.milliseconds
  }

  mutating func encode(
    _ outcome: Outcome<Decoded>,
    of bytes: [UInt8],
    from source: Source
  ) throws(LibcryptoFailure) {
    let span = ReceiptSpan(outcome.arrival.receivedAt?.milliseconds, writtenAt: now)
    switch outcome {
    case .accepted(let decoded):
      tally.countAccepted(decoded.decoding.status, receivedOn: outcome.arrival.receivedAt?.daysSince1970)
      postbacks.encode(decoded, of: bytes, from: source.name, format)
      received.postbacks = .union(received.postbacks, span)
      let decodedEvents = decoded.decoding.events
      for event in decodedEvents { events.encode(event, of: decoded) }
      if !decodedEvents.isEmpty { received.events = .union(received.events, span) }
      let verified = decoded.unique.verified
      firsts.append(
        SeenEntry(
          verified.seen,
          inputID: source.inputID,
          seenAt: UInt32(clamping: now / 1000)
        )
      )
    case .rejected(let rejection):
      let forwarder = rejection.arrival.forwarder.map { String(decoding: bytes[$0.indices], as: UTF8.self) }
      tally.countRejected(rejection.code, forwarder: forwarder)
      try rejects.encode(rejection, of: bytes, from: source.name, format, &hash)
      received.rejects = .union(received.rejects, span)
    }
  }

  /// Returns the rows so far, as those of a partition, and begins with none again.
  mutating func take(_ partition: String) -> TableValues<TablePortion> {
    defer { received = TableValues(nil, nil, nil) }
    let formats = format.encoding.formats
    func portion(_ rows: EncodedRows, _ span: ReceiptSpan?) -> TablePortion {
      TablePortion(rows, in: partition, received: span, formats: formats)
    }
    return TableValues(
      portion(postbacks.take(), received.postbacks),
      portion(events.take(), received.events),
      portion(rejects.take(), received.rejects)
    )
  }
}

extension Outcome<Decoded> {
  fileprivate var arrival: Arrival {
    switch self {
    case .accepted(let decoded): decoded.unique.verified.parsed.arrival
    case .rejected(let rejection): rejection.arrival
    }
  }
}
