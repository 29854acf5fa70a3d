internal import ConversionModel
package import Signatures

/// Turns outcomes into rows: an accepted postback into one of `skan_postbacks` and one of `skan_events` for each event,
/// a rejected record into one of `skan_rejects`.
package struct RowWriter: ~Copyable {
  private(set) var postbacks: RowEncoder
  private(set) var events: RowEncoder
  private(set) var rejects: RowEncoder
  private let trust: Trust
  private var hash: SHA256

  package init(_ options: TableOptions, trust: Trust) throws(LibcryptoFailure) {
    func encoder(_ table: Table) -> RowEncoder {
      RowEncoder(table, formats: options.formats, isCSVSafe: options.isCSVSafe)
    }
    postbacks = encoder(.postbacks)
    events = encoder(.events)
    rejects = encoder(.rejects)
    self.trust = trust
    hash = try SHA256()
  }

  /// Encodes a row, or more, for each outcome.
  package mutating func encode(_ batch: Batch<Decoded>) throws(LibcryptoFailure) {
    for outcome in batch.outcomes {
      switch outcome {
      case .accepted(let decoded):
        postbacks.encode(decoded, of: batch, trust)
        for event in decoded.decoding.events { events.encode(event, of: decoded) }
      case .rejected(let rejection):
        try rejects.encode(rejection, of: batch, &hash)
      }
    }
  }

  /// Forgets the rows, which have been written.
  package mutating func removeRows() {
    postbacks.removeRows()
    events.removeRows()
    rejects.removeRows()
  }
}
