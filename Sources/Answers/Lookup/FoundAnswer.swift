internal import ConversionModel
package import JSON
package import PostbackLookup
package import PostbackPipeline
package import PostbackVerification
internal import Tables

/// The answer to a search for a postback: each accepted one with its copies, its meaning, its campaign and its deliveries, and the
/// rejects that are copies of none.
package struct FoundAnswer {
  /// An accepted postback with all that is known of it.
  struct Postback {
    let row: FoundRow
    /// All copies, the accepted one too, in the order of time; those without a time come last.
    let copies: [FoundCopy]
    /// The number of copies that are left out.
    let omitted: Int
    let events: [FoundRow]
    /// The rows of derived tables, by the name of the table.
    let derived: [String: [FoundRow]]
    /// The deliveries to partners; nil if there is no outbox.
    let deliveries: [JSONValue]?
  }

  /// The text that was searched for.
  let id: String
  let found: FoundPostbacks
  /// The explanation of the postback that was given instead of an id; nil if an id was given.
  let pasted: Explanation?
  private(set) var postbacks: [Postback] = []
  /// The rejects that are copies of no accepted postback.
  private(set) var others: [FoundCopy] = []
  /// The number of such rejects that are left out.
  private(set) var omitted = 0

  /// A function that returns the deliveries of a postback; nil if there is no outbox.
  package typealias Deliveries = (PostbackKey) throws(PipelineFailure) -> [JSONValue]?

  /// Explains the rows that were found.
  ///
  /// - Parameters:
  ///   - found: The rows.
  ///   - id: The text that was searched for.
  ///   - pasted: The explanation of the postback that was given instead of an id.
  ///   - trust: The keys with which rejects are verified again.
  ///   - mostCopies: The number of rejects that are shown of each postback.
  ///   - known: The values for a diagnosis of rejects; nil for no diagnosis.
  ///   - deliveries: The deliveries of a postback.
  /// - Throws: A failure of libcrypto, or of `deliveries`.
  package init(
    _ found: FoundPostbacks,
    of id: String,
    pasted: Explanation? = nil,
    trust: TrustPolicy,
    mostCopies: Int,
    known: Explanation.Known?,
    deliveries: Deliveries
  ) async throws(PipelineFailure) {
    (self.found, self.id, self.pasted) = (found, id, pasted)
    var left = found.rejects
    for row in found.postbacks {
      let isCopy = { (reject: FoundRow) in
        if let key = reject.text(.firstSeenPostbackKey) { return key == row.text(.postbackKey) }
        return reject.text(.transactionID)?.lowercased() == row.text(.transactionID)?.lowercased()
      }
      let rejects = found.rejects.filter(isCopy)
      left.removeAll(where: isCopy)
      var copies = [FoundCopy(accepted: row)]
      for reject in rejects.prefix(mostCopies) { copies.append(try await Self.copy(reject, trust, known)) }
      let key = row.text(.postbackKey) ?? ""
      func ofPostback(_ rows: [FoundRow]) -> [FoundRow] { rows.filter { $0.text(.postbackKey) == key } }
      let postbackKey = PostbackKey(hexadecimal: key.utf8.span)
      postbacks.append(
        Postback(
          row: row,
          copies: Self.ordered(copies),
          omitted: max(rejects.count - mostCopies, 0),
          events: ofPostback(found.events),
          derived: found.derived.mapValues(ofPostback),
          deliveries: try postbackKey.flatMap(deliveries)
        )
      )
    }
    for reject in left.prefix(mostCopies) { others.append(try await Self.copy(reject, trust, known)) }
    others = Self.ordered(others)
    omitted = max(left.count - mostCopies, 0) + found.omittedRejects
  }

  /// Indicates that nothing was found.
  package var isEmpty: Bool { found.isEmpty }
  /// The paths of parts that are gone.
  package var missing: [String] { found.search.missing }

  private static func copy(
    _ reject: FoundRow,
    _ trust: TrustPolicy,
    _ known: Explanation.Known?
  ) async throws(PipelineFailure) -> FoundCopy {
    let input = InputFile(path: reject.text(.sourceFile) ?? reject.path)
    let line = reject[.sourceLine]?.integer.map(Int.init) ?? 1
    let batch = RawBatch(reject.raw ?? [], line: line, of: input)
    let rule = ReceivedAtRule()
    return FoundCopy(
      rejected: reject,
      try await Explanation(of: batch, trust: trust, models: .none, receivedAt: rule, known: known)
    )
  }

  private static func ordered(_ copies: [FoundCopy]) -> [FoundCopy] {
    copies.enumerated().sorted { left, right in
      let (one, other) = (left.element.receivedAt ?? .max, right.element.receivedAt ?? .max)
      return (one, left.offset) < (other, right.offset)
    }.map(\.element)
  }
}
