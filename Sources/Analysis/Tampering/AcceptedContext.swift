internal import JSON
package import PostbackPipeline
internal import SKAdNetwork

extension DiagnosisContext {
  /// Genuine postbacks that are kept whole: their signatures may turn up elsewhere. Each costs 30 µs.
  private static let mostGenuine = 20_000

  /// What accepted SKAdNetwork postbacks say: apps, networks and places that an edit may have replaced.
  package init(of accepted: TableFiles, jobs: Int) async throws(PipelineFailure) {
    self.init()
    let places = ContextPlaces()
    var context = self
    var left = Self.mostGenuine
    try await accepted.scan(jobs: jobs) { batch in
      places.values(in: batch)
    } take: { postbacks in
      for values in postbacks.prefix(left) { context.addGenuine(values) }
      left -= min(left, postbacks.count)
    }
    self = context
  }
}

/// The columns that say what is signed.
private struct ContextPlaces: Sendable {
  private let framework = Table.postbacks.place("framework")
  private let fields: [(field: Field, place: Int)] = [
    (.version, "version"), (.adNetworkID, "ad_network_id"), (.campaignID, "campaign_id"),
    (.sourceIdentifier, "source_identifier"), (.appID, "app_id"), (.transactionID, "transaction_id"),
    (.redownload, "redownload"), (.sourceAppID, "source_app_id"), (.sourceDomain, "source_domain"),
    (.fidelityType, "fidelity_type"), (.didWin, "did_win"), (.postbackSequenceIndex, "postback_sequence_index"),
  ].map { ($0, Table.postbacks.place($1)) }

  func values(in batch: RawBatch) -> [[Field: String]] {
    var postbacks: [[Field: String]] = []
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard row.text(framework) == Framework.skAdNetwork.rawValue else { continue }
      var values: [Field: String] = [:]
      for (field, place) in fields { values[field] = row.text(place) }
      postbacks.append(values)
    }
    return postbacks
  }
}
