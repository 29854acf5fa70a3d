internal import Base
internal import JSON
package import PostbackPipeline
internal import SKAdNetwork
package import Signatures

/// A reject, with the diagnosis of its alterations that its signature allows.
package struct DiagnosedReject: Sendable {
  /// The `raw_sha256` of its row; empty if the row has none.
  package let digest: String
  /// The forwarder; nil if the row does not name one.
  package let forwarder: String?
  /// The diagnosis.
  package let diagnosis: Diagnosis

  /// Diagnoses those rows whose reject code allows it, `jobs` at once. The results are in the order of the rows.
  package static func diagnose(
    _ lines: [[UInt8]],
    trust: Trust,
    context: DiagnosisContext,
    jobs: Int,
    progress: AnalysisProgress.Handler? = nil
  ) async throws(LibcryptoFailure) -> [DiagnosedReject] {
    let rows = lines.compactMap(DiagnosableRow.init)
    let diagnoser = try Diagnoser(trust, context: context, budget: bulkBudget)
    let diagnoses = try await diagnoser.diagnose(rows.map(\.body), jobs: jobs) { done in
      progress?(AnalysisProgress(task: .diagnosing, done: Int64(done), total: Int64(rows.count)))
    }
    return zip(rows, diagnoses).map { row, diagnosis in
      DiagnosedReject(digest: row.digest, forwarder: row.forwarder, diagnosis: diagnosis)
    }
  }

  /// The maximum number of variants that are tried for each of many rejects: all single edits and whole searches, and
  /// some pairs of edits.
  private static let bulkBudget = 16_000
}

/// A row of a reject that can be diagnosed.
private struct DiagnosableRow {
  let digest: String
  let forwarder: String?
  let body: [UInt8]

  init?(_ line: [UInt8]) {
    guard case .object(let members) = try? JSONValue(parsing: line) else { return nil }
    func text(_ key: String) -> String? {
      guard case .string(let text) = members.first(where: { $0.key == key })?.value else { return nil }
      return text
    }
    guard let code = text("reject_code").flatMap(RejectCode.init), code.isDiagnosable else { return nil }
    var body: [UInt8] = []
    if let raw = text("raw_body") {
      body = Array(raw.utf8)
    } else if let raw = text("raw_body_base64") {
      _ = Base64.standard.decode(raw.utf8.span, appendingTo: &body)
    }
    self.body = body
    digest = text("raw_sha256") ?? ""
    forwarder = text("forwarder")
  }
}
