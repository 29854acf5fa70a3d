internal import JSON
package import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

/// What diagnoses of many rejects come to: who changes which field.
package struct Tampering: Sendable {
  /// Rejects of one forwarder with one finding, and the same fields edited.
  package struct Group: Sendable {
    /// The word for the finding.
    package let finding: String
    /// The fields that were edited.
    package let fields: [String]
    /// Who forwarded them.
    package let forwarder: String?
    /// How many.
    package let count: Int
    /// The most frequent of what was done, in words.
    package let summary: String
  }

  /// A value of a field that was edited, and what was made of it.
  package struct Change: Sendable {
    /// The field.
    package let field: String
    /// What was signed; nil where the field was not there.
    package let original: String?
    /// What arrived.
    package let arrived: String?
    /// How often.
    package let count: Int
  }

  /// How many rejects were looked at.
  package let diagnosed: Int
  /// How many could be: with a code that a signature tells more about.
  package let diagnosable: Int
  /// The largest first.
  package let groups: [Group]
  /// The most frequent first.
  package let changes: [Change]

  /// Sums up diagnoses.
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
      guard one.count == other.count else { return one.count > other.count }
      let (left, right) = (one.forwarder ?? "", other.forwarder ?? "")
      return (one.finding, one.fields.joined(), left) < (other.finding, other.fields.joined(), right)
    }
    self.changes = changes.map {
      Change(field: $0.key[0] ?? "", original: $0.key[1], arrived: $0.key[2], count: $0.value)
    }
    .sorted { one, other in
      guard one.count == other.count else { return one.count > other.count }
      let (left, right) = (
        [one.field, one.original ?? "", one.arrived ?? ""], [other.field, other.original ?? "", other.arrived ?? ""]
      )
      return left.lexicographicallyPrecedes(right)
    }
  }

  /// Diagnoses the rejects that match a query, at most `limit`, drawn evenly.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    trust: Trust,
    limit: Int,
    jobs: Int
  ) async throws {
    let filter = RowFilter(query.conditions, during: query.span, in: .rejects)
    let (digest, code) = (Table.rejects.place("raw_sha256"), Table.rejects.place("reject_code"))
    var sample = RejectSample(limit: limit)
    var diagnosable = 0
    try await rejects.scan(jobs: jobs) { batch -> (RejectSample, Int) in
      var part = (RejectSample(limit: limit), 0)
      var row = RowCursor(batch, of: .rejects)
      while row.next() {
        guard filter.matches(row), row.text(code).flatMap(RejectCode.init)?.isDiagnosable == true else { continue }
        part.0.add(row.line, digest: row.text(digest) ?? "", code: "")
        part.1 += 1
      }
      return part
    } take: { part in
      sample.merge(part.0)
      diagnosable += part.1
    }
    let context = try await DiagnosisContext(of: accepted, jobs: jobs)
    let found = try await DiagnosedReject.diagnose(
      sample.rows.map(\.line),
      trust: trust,
      context: context,
      jobs: jobs,
      progress: rejects.progress
    )
    self.init(found, diagnosable: diagnosable)
  }
}
