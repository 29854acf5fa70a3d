internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackVerification
package import Tables
internal import ConversionModel
internal import Glibc
internal import SKAdNetwork
package import Signatures

/// The format of the rows of a run: the encoding of the tables.
package struct RowFormat: Sendable {
  /// The encoding of the tables.
  let encoding: TableEncoding

  /// Makes the format of rows of tables with that encoding.
  package init(_ encoding: TableEncoding) { self.encoding = encoding }
}

/// A batch as rows. An accepted postback is one row of `skan_postbacks`, and one of `skan_events` for each event; a
/// rejected record is one row of `skan_rejects`.
package struct EncodedBatch: Sendable {
  /// The origins of the records, in their order.
  package let origins: [BatchOrigin]
  /// The counts of accepted and rejected records.
  package let tally: Tally
  /// The rows, by table in the order of `Table.all`.
  let rows: [EncodedRows]
  /// The rows' checksums, by table and format.
  let checksums: [[TableFormat: UInt32]]
  /// The log entries of the accepted postbacks, for `seen.log`.
  let firsts: [SeenEntry]
}

extension Batch<Decoded> {
  /// Encodes each outcome as one row or more.
  package func encoded(as format: RowFormat) throws(LibcryptoFailure) -> EncodedBatch {
    var postbacks = RowEncoder(.postbacks, format.encoding, inputBytes: bytes.count)
    var events = RowEncoder(.events, format.encoding, inputBytes: bytes.count)
    var rejects = RowEncoder(.rejects, format.encoding, inputBytes: bytes.count)
    var firsts: [SeenEntry] = []
    firsts.reserveCapacity(outcomes.count)
    var tally = Tally()
    var hash = try SHA256()
    let now = UInt32(clamping: time(nil))
    var rest = outcomes[...]
    for origin in origins {
      let source = Array(origin.sourceFile.utf8)
      // A record that was rejected before and is read again belongs to no input of this ledger.
      let inputID = origin.reprocessed == nil ? origin.checkpoint?.input?.id ?? 0 : UInt32.max
      for outcome in rest.prefix(origin.recordCount) {
        switch outcome {
        case .accepted(let decoded):
          tally.countAccepted(decoded.decoding.status)
          postbacks.encode(decoded, of: bytes, from: source, format)
          for event in decoded.decoding.events { events.encode(event, of: decoded) }
          let verified = decoded.unique.verified
          firsts.append(
            SeenEntry(
              TransactionIndex.Seen(verified.key, verified.signature.digest, verified.unsignedFields),
              inputID: inputID,
              seenAt: now,
              line: UInt64(verified.parsed.record.line)
            )
          )
        case .rejected(let rejection):
          let forwarder = rejection.arrival.forwarder.map { String(decoding: bytes[$0.indices], as: UTF8.self) }
          tally.countRejected(rejection.code, forwarder: forwarder)
          try rejects.encode(rejection, of: bytes, from: source, &hash)
        }
      }
      rest = rest.dropFirst(origin.recordCount)
    }
    let rows = [postbacks.take(), events.take(), rejects.take()]
    return EncodedBatch(
      origins: origins,
      tally: tally,
      rows: rows,
      checksums: rows.map { rows in
        Dictionary(uniqueKeysWithValues: format.encoding.formats.map { ($0, CRC32(of: rows[$0]).value) })
      },
      firsts: firsts
    )
  }
}
