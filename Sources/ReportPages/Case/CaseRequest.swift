internal import Analysis
package import Base
internal import CampaignEnrichment
internal import CopySettlement
internal import DerivedTables
package import DurableFiles
internal import FraudSignals
internal import LookupTables
package import PostbackVerification
package import TableReading

/// A request for a case, as the options of a command or the parameters of an address give it.
package struct CaseRequest: Sendable {
  /// The number of rejects, and of accepted postbacks, that are examples unless another is given.
  package static let usualExamples = 12
  /// The number of rejects that are searched for edits unless another is given.
  package static let usualDiagnoses = 100
  /// The number of days after which a copy is late unless another is given.
  package static let usualLateDays = SignalCounter.lateAfterDays

  /// The conditions as they were given, and the limits of the time of receipt.
  package let conditions: [String]
  let query: RejectQuery
  /// Indicates that a partner gets the case, without our revenue, our paths and the names of others.
  package var isForPartner = false
  /// Indicates that the suspicious transactions have their revenue.
  package var wantsRevenue = false
  /// The maximum number of rejects, and of accepted postbacks, that are examples.
  package var examples = Self.usualExamples
  /// The maximum number of rejects that are searched for edits.
  package var diagnosisLimit = Self.usualDiagnoses
  /// The number of days after which a copy is late.
  package var lateDays = Self.usualLateDays

  /// Reads the conditions of a request.
  ///
  /// - Parameters:
  ///   - conditions: The conditions, such as `forwarder=NAME`; all must be met.
  ///   - since: The time of receipt from which records count; nil for all before `until`.
  ///   - until: The time of receipt before which records count; nil for all from `since` on.
  /// - Throws: A defect if there is no condition, if one cannot be read, or if one is on a column that accepted postbacks lack.
  package init(_ conditions: [String], since: Timestamp?, until: Timestamp?) throws(QueryDefect) {
    guard !conditions.isEmpty else {
      throw QueryDefect("Nothing says what the case is about. Give a condition, such as forwarder=NAME.")
    }
    var query = RejectQuery(grouping: try GroupColumn.list("reject_code"))
    query.span = TimeSpan(since: since?.milliseconds, until: until?.milliseconds)
    for condition in conditions { query.conditions.append(try Self.condition(condition)) }
    self.query = query
    let limits = [("since", since), ("until", until)]
    self.conditions = conditions + limits.compactMap { name, time in time.map { "\(name) \($0)" } }
  }

  /// Reads a condition, which must be on a column of `CaseFile.columns`.
  private static func condition(_ text: String) throws(QueryDefect) -> Condition {
    let name = String(text.drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    guard name.isEmpty || CaseFile.columns.contains(name) else {
      throw QueryDefect(
        "A case cannot be about the column \(name). The columns that rejects and accepted postbacks both have are "
          + "\(CaseFile.columns.joined(separator: ", "))."
      )
    }
    return try Condition(parsing: text)
  }

  /// Indicates that the conditions name a partner: a forwarder or an ad network.
  package var namesPartner: Bool {
    query.conditions.contains { condition in
      ["forwarder", "ad_network_id"].contains(condition.column) && condition.comparison == .equal
        && condition.values.allSatisfy { !$0.isEmpty }
    }
  }

  /// Returns the question for tables, with the derived ones if they are of one output that has them.
  ///
  /// - Parameters:
  ///   - tables: The rejects and the accepted postbacks.
  ///   - paths: The paths of the tables, as they were given.
  ///   - trust: The keys that examples are verified with.
  ///   - jobs: The number of batches that are read at once.
  /// - Returns: The question.
  /// - Throws: A failure if the derived tables cannot be found.
  package func question(
    about tables: RunTables,
    at paths: [String],
    trust: TrustPolicy,
    jobs: Int
  ) throws(FileFailure) -> CaseQuestion {
    var question = CaseQuestion(request: self, tables: tables, paths: paths, trust: trust, jobs: jobs)
    if paths.count == 1, let output = paths.first {
      let derived = try DerivedSnapshot(of: output)
      question.settled = try TableFiles(derived: .settled, of: derived)
      question.enriched = try TableFiles(derived: .enriched, of: derived)
    }
    return question
  }

  /// Returns the condition that a column has a value, with quotes where the value needs them; an empty value stands for null.
  package static func condition(_ column: String, is value: String) -> String {
    let isPlain = value.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: ":"):
        true
      default: false
      }
    }
    return isPlain ? "\(column)=\(value)" : "\(column)=\"\(value)\""
  }
}

extension ReportPage {
  /// The condition of a case about the party of each alarm, in the order of the alarms; nil for an ad network, whose name in the tests is
  /// that of a lookup table.
  package var conditionsOfAlarms: [String?] {
    signals.report.alarms.map { test in
      switch test.party.kind {
      case .forwarder: CaseRequest.condition("forwarder", is: test.party.name)
      case .app: CaseRequest.condition("app_id", is: test.party.name)
      default: nil
      }
    }
  }
}
