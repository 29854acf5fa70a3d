internal import JSON
package import PostbackPipeline
internal import PostbackVerification
package import Tables

extension TableFiles {
  /// Reads the keys of all postbacks of `skan_postbacks`, each once, in order.
  package func postbackKeys(jobs: Int) async throws(PipelineFailure) -> [UInt128] {
    var keys: [UInt128] = []
    try await scan(jobs: jobs) {
      $0.postbackKeys(of: .postbacks).compactMap(\.self)
    } take: {
      keys += $0
    }
    return keys.sortedOnce
  }
}

extension RawBatch {
  /// The key of the postback in each record of a batch of rows of a table; nil for lines that are not rows.
  package func postbackKeys(of table: Table) -> [UInt128?] {
    var keys: [UInt128?] = []
    keys.reserveCapacity(records.count)
    for record in records where record.defect == nil {
      guard let key = PostbackKey(leading: bytes.span.extracting(record.bytes.indices)) else { break }
      keys.append(UInt128(key))
    }
    if keys.count == records.count { return keys }
    // Some lines are not as `run` writes them.
    keys = Array(repeating: nil, count: records.count)
    let column = table.place(.postbackKey)
    var cursor = RowCursor(self, of: table, only: [column])
    while cursor.next() { keys[cursor.index] = cursor.key(column).map { UInt128($0) } }
    return keys
  }
}

extension [UInt128] {
  /// The keys in order, each once.
  package var sortedOnce: [UInt128] {
    var keys: [UInt128] = []
    keys.reserveCapacity(count)
    for key in sorted() where keys.last != key { keys.append(key) }
    return keys
  }
}
