internal import DerivedTables
internal import DurableFiles
package import PostbackPipeline
package import Tables

/// The rows of an output that are about one postback, or about several of one transaction.
package struct FoundPostbacks: Sendable {
  /// The rows of `skan_postbacks`.
  package fileprivate(set) var postbacks: [FoundRow] = []
  /// The rows of `skan_rejects`: copies of the postbacks, and rejects with their transaction.
  package fileprivate(set) var rejects: [FoundRow] = []
  /// The rows of `skan_events`.
  package fileprivate(set) var events: [FoundRow] = []
  /// The rows of derived tables, by the name of the table; a table that is not there is absent.
  package fileprivate(set) var derived: [String: [FoundRow]] = [:]
  /// The parts of all tables that were searched.
  package fileprivate(set) var search = PartsSearched()
  /// The number of rejects that were not read, because there are too many.
  package fileprivate(set) var omittedRejects = 0

  /// Indicates that nothing was found.
  package var isEmpty: Bool { postbacks.isEmpty && rejects.isEmpty }

  /// Adds what was done for a table, and returns its rows.
  fileprivate mutating func take(_ findings: RowFinder.Findings) -> [FoundRow] {
    search += findings.search
    return findings.rows
  }
}

extension RowFinder {
  /// Finds the postbacks with a key or a transaction, their copies and rejects, their events, and their rows in derived tables; at
  /// most `mostRejects` rejects are read.
  package func postbacks(
    having values: [LookupValue],
    derived tables: [Table],
    mostRejects: Int
  ) async throws(PipelineFailure) -> FoundPostbacks {
    var found = FoundPostbacks()
    found.postbacks = found.take(try await rows(of: .postbacks, having: values))
    // A key leads to the transaction, whose rejects have no key, and a copy to its first.
    var known = Set(values + Self.values(of: found.postbacks))
    try await findRejects(having: known, most: mostRejects, &found)
    let more = Set(Self.values(of: found.rejects)).subtracting(known)
    if !more.isEmpty {
      let postbacks = found.take(try await rows(of: .postbacks, having: Array(more)))
      found.postbacks = Self.merged(found.postbacks, postbacks)
      known.formUnion(more)
      known.formUnion(Self.values(of: postbacks))
      try await findRejects(having: known, most: mostRejects, &found)
    }
    let keys = found.postbacks.compactMap { $0.text(.postbackKey) }.map { LookupValue(.key, $0) }
    guard !keys.isEmpty else { return found }
    found.events = found.take(try await rows(of: .events, having: keys))
    let snapshot = try PipelineFailure.state { () throws(FileFailure) in try DerivedSnapshot(of: output) }
    for table in tables {
      let folder = snapshot.place(of: table)
      let isThere = try PipelineFailure.state { () throws(FileFailure) in
        try snapshot.verify(table)
        return try DurableFolder("\(folder)/\(table.name)").byteCount(of: ".") != nil
      }
      guard isThere else { continue }
      found.derived[table.name] = found.take(try await rows(of: table, in: folder, having: keys))
    }
    return found
  }

  /// Finds the rejects with some values, in place of those that were found before.
  private func findRejects(
    having values: Set<LookupValue>,
    most: Int,
    _ found: inout FoundPostbacks
  ) async throws(PipelineFailure) {
    let findings = try await rows(of: .rejects, having: Array(values), most: most)
    found.rejects = found.take(findings)
    found.omittedRejects = findings.omitted
  }

  /// The keys and transactions that rows name.
  private static func values(of rows: [FoundRow]) -> [LookupValue] {
    rows.flatMap { row in
      [
        row.text(.postbackKey).map { LookupValue(.key, $0) },
        row.text(.firstSeenPostbackKey).map { LookupValue(.key, $0) },
        row.text(.transactionID).map { LookupValue(.transaction, $0) },
      ].compactMap(\.self)
    }
  }

  /// The rows of both, each once.
  private static func merged(_ rows: [FoundRow], _ others: [FoundRow]) -> [FoundRow] {
    rows + others.filter { other in !rows.contains { $0.isSame(as: other) } }
  }
}

extension FoundRow {
  /// Tells if both are the same row of a file.
  fileprivate func isSame(as other: FoundRow) -> Bool {
    path == other.path && offset == other.offset && line == other.line
  }
}
