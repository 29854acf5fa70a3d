internal import JSON
package import PostbackVerification
internal import SKAdNetwork
package import Signatures
package import TableReading
internal import Tables
package import Tampering

/// A summary of the diagnoses of many rejects: findings and edited fields by forwarder, and the changed values.
package struct TamperingSurvey: Sendable {
  /// The rejects of one forwarder with the same finding and the same edited fields.
  package struct Group: Sendable {
    /// The code of the finding.
    package let finding: String
    /// The names of the fields that were edited.
    package let fields: [String]
    /// The forwarder; nil if the rows do not name one.
    package fileprivate(set) var forwarder: String?
    /// The number of rejects.
    package let count: Int
    /// The most frequent summary of the diagnoses, as text.
    package let summary: String
  }

  /// An edit of a field: the signed value and the value that arrived.
  package struct Change: Sendable {
    /// The name of the field.
    package let field: String
    /// The value that was signed; nil if the field was absent.
    package let original: String?
    /// The value that arrived; nil if the field was absent.
    package let arrived: String?
    /// The number of times that the edit was found.
    package let count: Int
  }

  /// The number of rejects that were diagnosed.
  package let diagnosed: Int
  /// The number of rejects that can be diagnosed: those whose reject code allows it.
  package let diagnosable: Int
  /// The groups, the largest first.
  package private(set) var groups: [Group]
  /// The edits, the most frequent first.
  package let changes: [Change]

  /// The summary with other names of the forwarders.
  package func renaming(_ name: (String?) -> String?) -> TamperingSurvey {
    var renamed = self
    for index in renamed.groups.indices { renamed.groups[index].forwarder = name(renamed.groups[index].forwarder) }
    return renamed
  }

  /// Summarizes diagnoses.
  package init(_ rejects: [DiagnosedReject], diagnosable: Int) {
    struct Key: Hashable {
      let finding: String
      let fields: [String]
      let forwarder: String?
    }
    var groups: [Key: [String: Int]] = [:]
    var changes: [[String?]: Int] = [:]
    for reject in rejects {
      var edits: [Diagnosis.Edit] = []
      if case .recovered(let recovery) = reject.diagnosis.finding { edits = recovery.edits }
      let key = Key(finding: reject.diagnosis.code, fields: edits.map(\.field.name), forwarder: reject.forwarder)
      groups[key, default: [:]][reject.diagnosis.summary, default: 0] += 1
      for edit in edits { changes[[edit.field.name, edit.original, edit.arrived], default: 0] += 1 }
    }
    diagnosed = rejects.count
    self.diagnosable = diagnosable
    self.groups = groups.map { key, summaries in
      let most = summaries.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
      let count = summaries.values.reduce(0, +)
      return Group(finding: key.finding, fields: key.fields, forwarder: key.forwarder, count: count, summary: most)
    }
    .sorted { one, other in
      (other.count, one.finding, one.fields.joined(), one.forwarder ?? "")
        < (one.count, other.finding, other.fields.joined(), other.forwarder ?? "")
    }
    self.changes = changes.map {
      Change(field: $0.key[0] ?? "", original: $0.key[1], arrived: $0.key[2], count: $0.value)
    }
    .sorted { one, other in
      (other.count, one.field, one.original ?? "", one.arrived ?? "")
        < (one.count, other.field, other.original ?? "", other.arrived ?? "")
    }
  }

  /// Diagnoses at most `limit` of the rejects that match a query, drawn evenly.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    trust: TrustPolicy,
    limit: Int,
    jobs: Int
  ) async throws {
    let filter = RowFilter(query.conditions, during: query.span, in: .rejects)
    let columns = RejectColumns()
    var sample = RejectSample(limit: limit)
    var diagnosable = 0
    try await rejects.scan(jobs: jobs) { batch -> (RejectSample, Int) in
      var part = (RejectSample(limit: limit), 0)
      var row = RowCursor(batch, of: .rejects)
      while row.next() {
        guard filter.matches(row), row.text(columns.code).flatMap(RejectCode.init)?.isDiagnosable == true else {
          continue
        }
        part.0.add(row.line, digest: row.text(columns.digest) ?? "", code: "")
        part.1 += 1
      }
      return part
    } take: { part in
      sample.merge(part.0)
      diagnosable += part.1
    }
    let lines = sample.rows.map(\.line)
    let context = try await DiagnosisContext(
      of: accepted,
      signatures: DiagnosedReject.signatures(of: lines),
      jobs: jobs
    )
    let found = try await DiagnosedReject.diagnose(
      lines,
      trust: trust,
      context: context,
      jobs: jobs,
      progress: rejects.progress
    )
    self.init(found, diagnosable: diagnosable)
  }
}

/// A reject with its diagnosis: the alterations that its signature reveals.
package struct DiagnosedReject: Sendable {
  /// The `raw_sha256` of its row; empty if the row has none.
  package let digest: String
  /// The forwarder; nil if the row does not name one.
  package let forwarder: String?
  package let diagnosis: Diagnosis

  /// Diagnoses those rows whose reject code allows it, `jobs` at once. The results are in the order of the rows.
  package static func diagnose(
    _ lines: [[UInt8]],
    trust: TrustPolicy,
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

  /// Returns the signatures of those rows whose reject code allows a diagnosis, for its context.
  package static func signatures(of lines: [[UInt8]]) -> [SignatureR] {
    var scan = SignatureScan()
    return lines.compactMap(DiagnosableRow.init).flatMap { scan.values(in: $0.body.span) }
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
    guard let row = try? JSONValue(parsing: line), let code = row["reject_code"]?.text.flatMap(RejectCode.init),
      code.isDiagnosable
    else { return nil }
    body = row.rawBody ?? []
    digest = row["raw_sha256"]?.text ?? ""
    forwarder = row["forwarder"]?.text
  }
}
