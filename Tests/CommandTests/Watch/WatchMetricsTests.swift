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
}
