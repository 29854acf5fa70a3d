import PageMarkup
import Analysis
import DurableFiles
import FraudSignals
import JSON
import PostbackVerification
import TableReading
import Tables
import TestSupport

@testable import ReportPages

/// The tables of an output whose rows a test wrote, and the page of their report.
struct WrittenTables {
  /// The columns of a row that differ from the usual ones, as JSON.
  typealias Columns = [String: String]

  private let folder: TemporaryFolder
  /// The path of the output.
  let out: String

  private static let usual: Columns = [
    "received_at": #""2026-03-10T06:00:00Z""#, "received_at_source": #""envelope""#, "channel": #""network_forwarded""#,
    "forwarder": #""adjust""#, "ad_network_id": #""one.skadnetwork""#, "app_id": "1",
  ]
  private static let usualPostback: Columns = [
    "framework": #""skadnetwork""#, "version": #""4.0""#, "did_win": "true", "postback_sequence_index": "0",
    "decode_status": #""null""#, "estimated_install_date": #""2026-03-06T18:00:00Z""#,
  ]
  private static let usualReject: Columns = [
    "stage": #""parse""#, "reject_code": #""not_json""#, "raw_body": #""<b>""#,
  ]

  init(_ postbacks: [Columns] = [], rejects: [Columns] = []) throws {
    folder = try TemporaryFolder()
    out = folder.path("out")
    let accepted = postbacks.enumerated().map { number, row in
      Self.usualPostback.merging(["postback_key": "\"\(Self.key(number))\""]) { $1 }.merging(row) { $1 }
    }
    for (table, rows) in [
      ("skan_postbacks", accepted), ("skan_rejects", rejects.map { Self.usualReject.merging($0) { $1 } }),
    ] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      let lines = rows.map { row in
        let cells = Self.usual.merging(row) { $1 }.sorted { $0.key < $1.key }
        return "{\(cells.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}\n"
      }
      try folder.makeFile("out/\(table)/part-00000001.jsonl", holding: Array(lines.joined().utf8))
    }
  }

  private static func key(_ number: Int) -> String { String(repeating: "0", count: 27) + "\(10_000 + number)" }

  /// The tables of the output.
  var tables: RunTables {
    get throws { try RunTables(at: [out], states: [], includingReprocessed: false, progress: nil) }
  }

  /// Reads what every report has.
  func content(sample: Int = 2000) async throws -> ReportContent {
    let (rejects, accepted) = (try tables.rejects, try tables.postbacks)
    let report = try await RejectReport(rejects: rejects, accepted: accepted, sampleLimit: sample, jobs: 2)
    let signals = try await SignalReport(
      RejectQuery(grouping: []),
      of: SignalInputs(rejects: rejects, accepted: accepted),
      jobs: 2
    )
    return ReportContent(report: report, signals: signals, paths: [out])
  }

  /// The page of the report.
  func page(sample: Int = 2000) async throws -> String {
    try await ReportPage(content(sample: sample)).html().markup
  }

  /// The JSON in the script element of a page with this id.
  static func data(_ id: String, in page: String) throws -> JSONValue {
    let start = page.firstRange(of: "<script type=\"application/json\" id=\"\(id)\">")?.upperBound ?? page.endIndex
    let end = page[start...].firstRange(of: "</script>")?.lowerBound ?? start
    return try JSONValue(parsing: Array(page[start..<end].utf8))
  }
}

extension JSONValue {
  /// The elements of an array; none of another value.
  var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}
