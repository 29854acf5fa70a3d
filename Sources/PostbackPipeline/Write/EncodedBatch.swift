internal import ConversionModel
package import Signatures

/// How rows are written: in which formats, and with the names of whose keys.
package struct RowFormat: Sendable {
  /// The formats.
  package let formats: Set<TableFormat>
  /// Whether CSV texts that a spreadsheet would run are disarmed.
  package let isCSVSafe: Bool
  /// The ids of the trusted keys, by their index.
  let keyIDs: [[UInt8]]
  /// The environments of the trusted keys, by their index.
  let environments: [Environment]

  /// Rows in these formats, of postbacks that `trust` judged.
  package init(_ formats: Set<TableFormat>, isCSVSafe: Bool = false, trust: Trust) {
    self.formats = formats
    self.isCSVSafe = isCSVSafe
    keyIDs = trust.keys.map { Array($0.id.utf8) }
    environments = trust.keys.map(\.environment)
  }
}

/// A batch as rows: an accepted postback is one of `skan_postbacks` and one of `skan_events` for each event, a rejected
/// record one of `skan_rejects`.
package struct EncodedBatch: Sendable {
  /// The input the records come from.
  package let input: InputFile
  /// Bytes of the input, as it is stored, that have been read so far.
  package let consumed: Int64
  /// What became of the records.
  package let tally: Tally
  /// The rows, by table in the order of `Table.all`.
  let rows: [EncodedRows]
}

extension Batch<Decoded> {
  /// Encodes a row, or more, for each outcome.
  package func encoded(as format: RowFormat) throws(LibcryptoFailure) -> EncodedBatch {
    var postbacks = RowEncoder(.postbacks, format, inputBytes: bytes.count)
    var events = RowEncoder(.events, format, inputBytes: bytes.count)
    var rejects = RowEncoder(.rejects, format, inputBytes: bytes.count)
    var tally = Tally()
    var hash = try SHA256()
    let source = Array(input.path.utf8)
    for outcome in outcomes {
      switch outcome {
      case .accepted(let decoded):
        tally.countAccepted()
        postbacks.encode(decoded, of: bytes, from: source, format)
        for event in decoded.decoding.events { events.encode(event, of: decoded) }
      case .rejected(let rejection):
        tally.countRejected(rejection.code)
        try rejects.encode(rejection, of: bytes, from: source, &hash)
      }
    }
    return EncodedBatch(
      input: input,
      consumed: consumed,
      tally: tally,
      rows: [postbacks.take(), events.take(), rejects.take()]
    )
  }
}
