import Foundation
import JSON
import PostbackServer
import Spool
import TestSupport
import Testing

@testable import PostbackService

@Suite struct `The queries of deploy/` {
  /// The names of all samples that a process with a receiver and a consumer offers.
  private func names() throws -> Set<String> {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("spool"), withIntermediateDirectories: true)
    let metrics = ServerMetrics()
    let commits = GroupCommit(
      try SpoolWriter(folder.path("spool")),
      waitingBytes: 1 << 20,
      metrics: metrics,
      report: { _ in }
    )
    defer { _ = commits.stop(within: .seconds(5)) }
    let consumer = ConsumerMetrics(version: "1")
    let texts = [
      metrics.exposition(commits, events: commits), consumer.exposition(of: .process), consumer.exposition(of: .file),
    ]
    return try texts.flatMap { try PrometheusText($0).kinds }.reduce(into: ["up"]) { names, family in
      let suffixes = family.value == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
      for suffix in suffixes { names.insert(family.key + suffix) }
    }
  }

  /// The names of metrics in a query.
  private func metrics(in query: String) -> [String] {
    query.matches(of: /\b(?:up|postback_\w+|process_\w+)\b/).map { String($0.0) }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: Fixtures.path("../deploy/\(path)"), encoding: .utf8)
  }

  @Test func `name only metrics that exist, in the dashboard`() throws {
    let names = try names()
    let dashboard = try JSONValue(parsing: Array(try text("grafana/postback.json").utf8))
    guard case .array(let panels)? = dashboard["panels"] else { throw MissingPanels() }
    var count = 0
    for panel in panels {
      guard case .array(let targets)? = panel["targets"] else { throw MissingPanels() }
      for target in targets {
        let query = try #require(target["expr"]?.text)
        #expect(!metrics(in: query).isEmpty, "\(query)")
        for name in metrics(in: query) where !Self.isElsewhere(name) {
          #expect(names.contains(name), "\(name) in \(query)")
        }
        count += 1
      }
    }
    #expect(count > 20)
  }

  /// Tells if a metric is one of deliver, which its own tests look at, or one that is still to come.
  private static func isElsewhere(_ name: String) -> Bool {
    let awaited = ["postback_committed_parts_missing", "postback_retention_refused", "postback_retention_waiting"]
    return name.hasPrefix("postback_deliver") || awaited.contains(name)
  }

  private struct MissingPanels: Error {}

  @Test func `name only metrics that exist, in the alerts`() throws {
    let names = try names()
    let alerts = try text("prometheus/alerts.yml")
    let queries = alerts.split(separator: "- alert:").dropFirst().compactMap { alert in
      alert.split(separator: "expr:").last?.split(separator: "labels: {severity").first
    }
    #expect(queries.count == 30)
    for query in queries {
      let found = metrics(in: String(query))
      #expect(!found.isEmpty, "\(query)")
      for name in found where !Self.isElsewhere(name) { #expect(names.contains(name), "\(name) in \(query)") }
    }
    // The advice of each alert is in the manual.
    let manual = try String(contentsOfFile: Fixtures.path("../docs/operations.md"), encoding: .utf8)
    for match in alerts.matches(of: /- alert: (\w+)/) { #expect(manual.contains("`\(match.1)`"), "\(match.1)") }
  }
}
