internal import Answers
internal import Analysis
internal import FraudSignals
package import JSON
internal import LookupTables
internal import SKAdNetwork
package import Signatures
internal import TableReading
package import Tables
internal import PageMarkup

/// Everything that a case has, as JSON and as a page.
package struct CaseAnswer {
  let file: CaseFile
  /// The conditions as they were given, and the limits of the time of receipt.
  let conditions: [String]
  /// The paths of the tables, as they were given.
  let paths: [String]
  /// The parties that the case is about: names by kind.
  let parties: [SignalParty.Kind: Set<String>]
  /// The tests of all accepted postbacks and copies.
  let report: SignalReport
  /// The diagnoses of rejects; nil if none were asked for.
  let tampering: TamperingSurvey?
  let keys: CaseKeys
  let examples: [CaseExample]
  /// The copies that are shown side by side.
  let pairs: [CasePair]
  /// The suspicious transactions.
  let concerned: ConcernedTransactions
  let mask: CaseMask

  /// The tests of the case's parties, those with the least p-value first.
  var tests: [SignalTest] {
    mask.tests(report.tests.filter { parties[$0.party.kind]?.contains($0.party.name) == true })
  }

  /// The paths of the tables, which a partner does not get.
  var shownPaths: [String] { mask.isForPartner ? [] : paths }

  /// The revenue, which a partner does not get.
  var revenue: [RejectReport.RevenueRange] { mask.isForPartner ? [] : file.revenue }

  /// The diagnoses with the names that are shown.
  var edits: TamperingSurvey? { tampering?.renaming(mask.forwarder) }

  /// The records by the columns of `CaseFile.senderColumns`; other forwarders are left out for a partner.
  var senders: [[CaseFile.Sender]] {
    zip(CaseFile.senderColumns, file.senders).map { column, senders in
      senders.filter { column != ColumnName.forwarder.rawValue || mask.forwarder($0.name) == $0.name }
    }
  }

  /// The sentences about the method.
  var method: [String] { mask.sentences(CaseMethod.method) }

  /// The sentences about the limits.
  var limits: [String] { mask.sentences(CaseMethod.limits) }

  /// The name of the case.
  var title: String { conditions.joined(separator: ", ") }

  /// The maximum number of differences, edits, senders and tests in output.
  static let most = 1000

  /// The copies that contradict each other; nil if there are none.
  var conflicts: ConflictsAnswer? {
    file.conflicts.flatMap { conflicts in
      guard conflicts.copies > 0 || conflicts.unfollowed > 0 else { return nil }
      return ConflictsAnswer(
        conflicts: mask.isForPartner ? conflicts.renaming(mask.forwarder) : conflicts,
        readByForwarder: file.readByForwarder,
        shownKeys: [],
        top: Self.most
      )
    }
  }

  /// The lines of the tables that are not rows.
  package var unreadable: UnreadableRows { file.unreadable }

  /// The number of suspicious transactions that are not in the CSV, because there are too many.
  package var unlisted: Int { concerned.unlisted }

  /// Returns the suspicious transactions as CSV.
  package func csv(hasRevenue: Bool) -> String {
    CaseTable(rows: concerned.rows, mask: mask, hasRevenue: hasRevenue).csv
  }

  /// Returns the case as one HTML file in UTF-8.
  ///
  /// - Throws: ``LibcryptoFailure`` if the digests for the security policy cannot be computed.
  package func page() throws(LibcryptoFailure) -> [UInt8] { try Array(CasePage(answer: self).html().markup.utf8) }

  /// One JSON object.
  package var json: JSONValue {
    .object([
      .init("conditions", .texts(conditions)),
      .init("tables", .texts(shownPaths)),
      .init("read", .integer(file.records.total)),
      .init("accepted", .integer(file.records.accepted)),
      .init("rejected", .integer(file.records.rejects.total)),
      .init("rejected_by_class", .counts(file.records.rejects)),
      .init("first_seen", .time(file.received?.lowerBound)),
      .init("last_seen", .time(file.received?.upperBound)),
      .init("accepted_by_status", .object(file.statuses.map { .init($0.status, .integer($0.count)) })),
      .init("rejected_by_code", .array(file.codes.map(json))),
      .init("days", .array(file.days.map(json))),
      .init(
        "senders",
        .object(zip(CaseFile.senderColumns, senders).map { .init($0, .array($1.prefix(Self.most).map(json))) })
      ),
      .init("revenue", .array(revenue.map(json))),
      .init("conflicts", .optional(conflicts?.json)),
      .init("edits", edits.map { .object(TamperingAnswer.members($0, top: Self.most)) } ?? .null),
      .init("signals", signals),
      .init("method", .texts(method)),
      .init("limits", .texts(limits)),
      .init("keys", .array(keys.entries.map(\.json))),
      .init("pairs", .array(pairs.map { $0.json(mask) })),
      .init("concerned_transactions", .integer(concerned.rows.count)),
      .init("examples", .array(examples.map(\.json))),
      .init("complete", .bool(!file.isBounded)),
      .init("unreadable_rows", .integer(file.unreadable.count)),
    ])
  }

  private func json(_ code: String, _ tally: RowTally) -> JSONValue {
    .object([
      .init("reject_code", .string(code)), .init("rejects", .integer(tally.count)),
      .init("share_of_read", .share(tally.count, of: file.records.total)),
      .init("first_seen", .time(tally.firstSeen)), .init("last_seen", .time(tally.lastSeen)),
      .init("meaning", .text(RejectCode(rawValue: code)?.explanation)),
    ])
  }

  private func json(_ day: CaseFile.Day) -> JSONValue {
    .object([
      .init("day", .text(day.date)),
      .init("accepted", .integer(day.records.accepted)),
      .init("rejected", .integer(day.records.rejects.total)),
      .init("rejected_by_class", .counts(day.records.rejects)),
      .init(
        "rejected_by_code",
        .object(day.codes.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
      ),
    ])
  }

  private func json(_ sender: CaseFile.Sender) -> JSONValue {
    .object([
      .init("name", .text(sender.name)),
      .init("accepted", .integer(sender.records.accepted)),
      .init("rejected", .integer(sender.records.rejects.total)),
      .init("rejected_by_class", .counts(sender.records.rejects)),
    ])
  }

  private func json(_ range: RejectReport.RevenueRange) -> JSONValue {
    .object([
      .init("app_id", .string(range.app)),
      .init("currency", .string(range.currency)),
      .init("postbacks", .integer(range.postbacks)),
      .init("estimate", .number("\(range.estimate)")),
      .init("minimum", .number("\(range.minimum)")),
      .init("maximum", range.maximum.map { .number("\($0)") } ?? .null),
    ])
  }

  private var signals: JSONValue {
    let tests = tests
    return .object([
      .init(
        "parties",
        .array(
          parties.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { kind, names in
            names.sorted().map {
              .object([.init("party", .string(kind.rawValue)), .init("name", .string($0))])
            }
          }
        )
      ),
      .init("correction", .string("holm")),
      .init("level", .decimal(SignalTest.level)),
      .init("tests", .integer(report.tests.count)),
      .init("alarms", .array(tests.filter(\.isAlarm).map(SignalsAnswer.json))),
      .init("further_tests", .array(tests.filter { !$0.isAlarm }.prefix(Self.most).map(SignalsAnswer.json))),
      .init("not_tested", .array(report.omissions.map(SignalsAnswer.json))),
    ])
  }
}

/// The sentences about the method and the limits of a case.
enum CaseMethod {
  /// The method by which the numbers were found.
  static let method = [
    "Each record that arrived is counted once: as accepted or, with a code for the reason, as rejected. A further copy of an "
      + "accepted postback is rejected as a duplicate. Days are those of receipt, in UTC.",
    "A postback is accepted if a trusted key signed its signed fields: ECDSA with SHA-256 on P-256, and on P-192 before "
      + "version 2.1. The signed text of SKAdNetwork joins the fields of the version, in Apple's order, by the character "
      + "U+2063 (bytes e2 81 a3). AdAttributionKit signs the header and the payload of a JWS (RFC 7515).",
    "Revenue is what the conversion values mean in the advertiser's conversion models: an estimate with its limits, added up "
      + "as exact decimal numbers. A cumulative window includes the windows before it, so the larger sum counts. \(firstCopies)",
    "Edited signed fields are found by trying common edits until the signature fits. Such a find is a proof, because only "
      + "the signed content fits.",
    "Differences of unsigned values are found by comparing the copies of a postback. If one copy came from a device itself, "
      + "the difference is attributed to the sender of the other one.",
    "The tests compare each forwarder by the copies that it sent itself, and with the device's own copy. Postbacks whose copies "
      + "as of a device contradict each other are left out and counted apart, because anybody can post as a device.",
    "Signals are tests of the parties of this case against all other parties of the same tables and time, with p-values "
      + "corrected for all tests (Holm).",
    "The examples are drawn by digest, with an equal share for each code and each version. They are the same whenever the "
      + "same tables are read.",
  ]

  /// The copies whose values the revenue is of.
  static let firstCopies = """
    The values are those of the copies that were accepted first, and are not settled: where another copy decides, such as a \
    device's own, skan_settled, skan_daily and the other pages have the revenue of that copy.
    """

  /// The limits of the evidence.
  static let limits = [
    "A rejected signature proves that Apple did not sign this content. It does not prove who changed it: each sender before "
      + "the receiver could have.",
    "Apple does not sign conversion values, coarse values and countries. Of two different copies one was edited, and the "
      + "device's own copy is strong evidence of which, but no proof: the endpoint for devices is public.",
    "The name of a forwarder is the one under which the receiver accepted the record. It is as certain as the receiver's "
      + "authentication of forwarders.",
    "A signal proves nothing. It shows where to look.",
    "Revenue is not what was paid, and a rejected postback has none.",
  ]
}
