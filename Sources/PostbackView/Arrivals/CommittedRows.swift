internal import DurableFiles
internal import Ledger
internal import PostbackLookup
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// The rows of an output at one commit: the parts of `skan_postbacks` and `skan_rejects`. Rejects that were read again are none.
struct CommittedRows: Sendable {
  /// The mark of the commit; nil where the output has no state.
  let commit: String?
  /// The number of the commit, which tells that there is another one.
  let witnessed: Int64?
  let postbacks: [LookupPart]
  let rejects: [LookupPart]
  /// The records since the start of the state, by outcome; nil where the output has no state.
  let totals: OutcomeCounts?
  /// The time of the commit, in milliseconds since 1970; nil if it is not known.
  let committedAt: Int64?

  /// The newest time of receipt of accepted postbacks, in milliseconds since 1970; nil if it is not known.
  var newestAccepted: Int64? { Self.newest(postbacks) }

  /// The newest time of receipt of accepted postbacks, or of rejects if there are none. `ArrivalCounts` has that of newer rejects: those
  /// that cannot be parsed often have the time of their file, which the parts do not tell.
  var newest: Int64? { newestAccepted ?? Self.newest(rejects) }

  private static func newest(_ parts: [LookupPart]) -> Int64? { parts.compactMap { $0.part.received?.newest }.max() }

  /// Reads the rows that are committed now.
  init(in output: String, state: String) throws(FileFailure) {
    guard Ledger.isThere(state) else {
      (commit, witnessed, totals, committedAt) = (nil, nil, nil, nil)
      postbacks = try LookupPart.complete(of: .postbacks, in: output)
      rejects = try LookupPart.complete(of: .rejects, in: output)
      return
    }
    witnessed = try Ledger.lastCommit(state)
    let reading = try OutputFolder.reading(output, state: state, readsReprocessed: true)
    var missing: [String] = []
    postbacks = try LookupPart.committed(reading, of: .postbacks, in: output, missing: &missing)
    var rejects = try LookupPart.committed(reading, of: .rejects, in: output, missing: &missing)
    for place in rejects.indices { rejects[place].reprocessed = reading.reprocessed[rejects[place].part.number] ?? [] }
    self.rejects = rejects
    commit =
      try Ledger.committedParts(state, of: Table.postbacks.name, from: .max).mark.map { "\($0)" }
      ?? "\(reading.commits)"
    var totals = OutcomeCounts(accepted: Int(reading.counts[.accepted] ?? 0))
    for code in RejectCode.allCases {
      totals.rejects.add(code, Int((reading.counts[.rejected(code)] ?? 0) - (reading.counts[.reprocessed(code)] ?? 0)))
    }
    self.totals = totals
    committedAt = reading.committedAt > 0 ? reading.committedAt : nil
  }
}
