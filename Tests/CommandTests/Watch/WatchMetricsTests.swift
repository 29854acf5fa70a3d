import Foundation
import TestSupport
import Testing

@Suite struct `The metrics file of a consumer` {
  @Test func `has the counts of the last commit when the consumer has ended`() async throws {
    let site = try WatchSite()
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    let process = try site.start(["--once", "--metrics-file", site.folder.path("metrics")])
    process.waitUntilExit()
    let log = try site.log
    #expect(process.terminationStatus == 0, "\(log)")
    let text = try PrometheusText(String(decoding: try site.folder.contents(of: "metrics"), as: UTF8.self))
    let count = Double(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl").count)
    #expect(text.samples["postback_records_total"] == count)
    #expect(text.samples[#"postback_inputs_total{outcome="done"}"#] == 1)
    #expect(text.samples["postback_spool_waiting_files"] == 0)
    #expect(text.samples[#"postback_consumer_state{state="stopped"}"#] == 1)
    #expect(
      text.samples["postback_commit_fsync_duration_seconds_count"]
        == text.samples["postback_commit_duration_seconds_count"]
    )
  }

  /// node_exporter, which reads the file, has metrics of its own process, and leaves out what has the same names.
  @Test func `names only metrics of postback, and says when it was written`() async throws {
    let site = try WatchSite()
    let process = try site.start(["--once", "--metrics-file", site.folder.path("metrics")])
    process.waitUntilExit()
    let text = try metrics(of: site)
    for name in text.kinds.keys { #expect(name.hasPrefix("postback_"), "\(name)") }
    let heartbeat = try #require(text.samples["postback_consumer_heartbeat_timestamp_seconds"])
    let start = try #require(text.samples["postback_consumer_start_timestamp_seconds"])
    let now = Date().timeIntervalSince1970
    #expect(start <= heartbeat && heartbeat <= now && now - start < 60)
    #expect(text.samples["postback_process_open_fds"] ?? 0 > 3)
    let mode = try FileManager.default.attributesOfItem(atPath: site.folder.path("metrics"))[.posixPermissions]
    #expect(mode as? Int == 0o644)
  }

  @Test func `tells files that cannot be put away from those that wait`() async throws {
    let site = try WatchSite()
    _ = try site.start(["--metrics-file", site.folder.path("metrics")])
    try await site.waitFor("watching")
    try FileManager.default.removeItem(atPath: site.folder.path("spool/done"))
    try site.folder.makeFile("spool/done")
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    try await site.waitFor("input_not_put_away")
    for _ in 0..<200 {
      let samples = try metrics(of: site).samples
      if samples["postback_spool_not_put_away_files"] == 1 {
        #expect(samples["postback_spool_waiting_files"] == 0 && samples["postback_spool_oldest_seconds"] == 0)
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(try site.log)")
  }

  private func metrics(of site: WatchSite) throws -> PrometheusText {
    try PrometheusText(String(decoding: try site.folder.contents(of: "metrics"), as: UTF8.self))
  }
}
