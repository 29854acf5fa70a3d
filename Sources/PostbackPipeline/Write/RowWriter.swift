internal import ConversionModel
package import Signatures

/// Texts that many rows have, ready to be copied.
struct RowNames {
  /// The ids of the trusted keys, by their index.
  let keyIDs: [[UInt8]]
  /// The environments of the trusted keys, by their index.
  let environments: [Environment]
  /// The input's path.
  var source: [UInt8] = []

  init(_ trust: Trust) {
    keyIDs = trust.keys.map { Array($0.id.utf8) }
    environments = trust.keys.map(\.environment)
  }
}

/// Turns outcomes into rows: an accepted postback into one of `skan_postbacks` and one of `skan_events` for each event,
/// a rejected record into one of `skan_rejects`.
package struct RowWriter: ~Copyable {
  private(set) var postbacks: RowEncoder
  private(set) var events: RowEncoder
  private(set) var rejects: RowEncoder
  private var names: RowNames
  private var hash: SHA256

  package init(_ options: TableOptions, trust: Trust) throws(LibcryptoFailure) {
    func encoder(_ table: Table) -> RowEncoder {
      RowEncoder(table, formats: options.formats, isCSVSafe: options.isCSVSafe)
    }
    postbacks = encoder(.postbacks)
    events = encoder(.events)
    rejects = encoder(.rejects)
    names = RowNames(trust)
    hash = try SHA256()
  }

  /// Encodes a row, or more, for each outcome.
  package mutating func encode(_ batch: Batch<Decoded>) throws(LibcryptoFailure) {
    names.source = Array(batch.input.path.utf8)
    for outcome in batch.outcomes {
      switch outcome {
      case .accepted(let decoded):
        postbacks.encode(decoded, of: batch.bytes, names)
        for event in decoded.decoding.events { events.encode(event, of: decoded) }
      case .rejected(let rejection):
        try rejects.encode(rejection, of: batch.bytes, names, &hash)
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
