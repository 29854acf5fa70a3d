package import PostbackPipeline
internal import SKAdNetwork

extension DiagnosisContext {
  /// The maximum number of postbacks of each framework that are used, the first ones: adding one takes about 30 µs.
  private static let mostPostbacks = 20_000

  /// Collects the values of accepted postbacks, such as apps and networks, that an edit may have replaced. Of
  /// SKAdNetwork postbacks it also keeps the signed fields, as their signature may appear on another postback. The
  /// tables do not contain the signed text of AdAttributionKit postbacks, the JWS.
  package init(of accepted: TableFiles, jobs: Int) async throws(PipelineFailure) {
    self.init()
    let fields = AcceptedFields()
    var context = self
    var left = [Framework.skAdNetwork: Self.mostPostbacks, .adAttributionKit: Self.mostPostbacks]
    try await accepted.scan(jobs: jobs) { batch in
      var postbacks: [(framework: Framework, values: [Field: String])] = []
      var row = RowCursor(batch, of: .postbacks)
      while row.next() {
        guard let framework = fields.framework(row) else { continue }
        postbacks.append((framework, fields.values(row, of: framework)))
      }
      return postbacks
    } take: { postbacks in
      for (framework, values) in postbacks where left[framework, default: 0] > 0 {
        left[framework, default: 0] -= 1
        switch framework {
        case .skAdNetwork: context.addGenuine(values)
        case .adAttributionKit: for (field, value) in values { context.note(value, of: field) }
        }
      }
    }
    self = context
  }
}
