import Base
import Foundation
import Ledger
import Metrics
import PostbackPipeline
import SKAdNetwork
import Spool
import TestSupport
import Testing

@testable import PostbackService

@Suite struct `The metrics of a consumer` {
  private var metrics: ConsumerMetrics {
    var metrics = ConsumerMetrics(version: "1.2.3")
    metrics.totals = LedgerTotals([
      .read: 100, .accepted: 90, .rejected(.notJSON): 7, .rejected(.duplicateConflict): 3,
      .rows(ofTable: "skan_events"): 200, .inputs(.failed): 2,
    ])
    metrics.commits = 12
    metrics.committedAt = 1_750_000_000_250
    for milliseconds in [1, 5, 6, 400, 60_000] { metrics.commitDurations.observe(.milliseconds(milliseconds)) }
    metrics.spool.backlog = SpoolBacklog(count: 3, oldest: Timestamp.now.milliseconds - 1500)
    metrics.startedAt = Timestamp(milliseconds: 1_740_000_000_500)
    metrics.writtenAt = Timestamp(milliseconds: 1_750_000_001_000)
    metrics.indexKeys = 90
    metrics.process = ProcessUsage(
      residentBytes: 88_000_000,
      openDescriptors: 34,
      maximumDescriptors: 1024,
      processorTime: .milliseconds(2500),
      startedAt: Timestamp(milliseconds: 1_740_000_000_010)
    )
    return metrics
  }

  @Test func `have the values of the consumer`() throws {
    let samples = try PrometheusText(metrics.exposition(of: .process)).samples
    for (sample, value) in [
      "postback_records_total": 100, "postback_accepted_total": 90,
      #"postback_rejected_total{stage="parse",code="not_json"}"#: 7,
      #"postback_rejected_total{stage="dedup",code="duplicate_conflict"}"#: 3,
      #"postback_rejected_total{stage="signature",code="signature_invalid"}"#: 0,
      #"postback_rows_total{table="skan_events"}"#: 200, #"postback_rows_total{table="skan_rejects"}"#: 0,
      "postback_commits_total": 12, "postback_spool_not_put_away_files": 0,
      "postback_consumer_start_timestamp_seconds": 1_740_000_000.5,
      "postback_consumer_heartbeat_timestamp_seconds": 1_750_000_001,
      "postback_last_commit_timestamp_seconds": 1_750_000_000.25,
      "postback_spool_waiting_files": 3, "postback_index_keys": 90,
      #"postback_inputs_total{outcome="done"}"#: 0, #"postback_inputs_total{outcome="failed"}"#: 2,
      #"postback_inputs_total{outcome="skipped"}"#: 0, "process_resident_memory_bytes": 88_000_000,
      "process_open_fds": 34, "process_max_fds": 1024, "process_cpu_seconds_total": 2.5,
      "process_start_time_seconds": 1_740_000_000.01,
      "postback_build_info{version=\"1.2.3\"}": 1,
      #"postback_commit_duration_seconds_bucket{le="0.005"}"#: 2,
      #"postback_commit_duration_seconds_bucket{le="0.01"}"#: 3,
      #"postback_commit_duration_seconds_bucket{le="0.25"}"#: 3,
      #"postback_commit_duration_seconds_bucket{le="0.5"}"#: 4, #"postback_commit_duration_seconds_bucket{le="10"}"#: 4,
      #"postback_commit_duration_seconds_bucket{le="+Inf"}"#: 5, "postback_commit_duration_seconds_count": 5,
    ] { #expect(samples[sample] == value, "\(sample)") }
    #expect(try #require(samples["postback_spool_oldest_seconds"]) >= 1.5)
    let sum = try #require(samples["postback_commit_duration_seconds_sum"])
    #expect(abs(sum - 60.412) < 1e-9)
  }

  @Test func `show the consumer's state and its disks`() throws {
    var metrics = metrics
    metrics.phase = .failing
    metrics.failures = 2
    metrics.fullDisks = [.output]
    metrics.spool.disks = [
      .spool: DiskSpace(freeBytes: 5 << 20, totalBytes: 1 << 30),
      .state: DiskSpace(freeBytes: 4096, totalBytes: 1 << 20),
    ]
    let samples = try PrometheusText(metrics.exposition(of: .process)).samples
    let expected: [String: Double] = [
      #"postback_consumer_state{state="failing"}"#: 1, #"postback_consumer_state{state="running"}"#: 0,
      "postback_consumer_failures_total": 2, #"postback_disk_full{place="spool"}"#: 0,
      #"postback_disk_full{place="state"}"#: 1, #"postback_disk_full{place="output"}"#: 1,
      #"postback_disk_free_bytes{place="spool"}"#: 5_242_880, #"postback_disk_size_bytes{place="state"}"#: 1_048_576,
      #"postback_reloads_total{outcome="failed"}"#: 0, "postback_last_reload_successful": 1,
    ]
    for (sample, value) in expected { #expect(samples[sample] == value, "\(sample)") }
  }

  @Test func `name at most 100 forwarders, and count the others together`() throws {
    var metrics = ConsumerMetrics(version: "1")
    let name = "network \"a\"\n"
    metrics.count([.init(forwarder: name, code: .signatureInvalid): 2])
    metrics.count([.init(forwarder: name, code: .signatureInvalid): 3])
    for number in 0..<500 { metrics.count([.init(forwarder: "f\(number)", code: .notJSON): 1]) }
    let text = try PrometheusText(metrics.exposition(of: .process))
    let found = text.samples.filter { $0.key.hasPrefix("postback_forwarder_rejected_total{") }
    #expect(found.count == 101)
    #expect(found.values.reduce(0, +) == 505)
    #expect(found.first { $0.key.contains(#"forwarder="other""#) }?.value == 401)
    #expect(found.first { $0.key.contains(#"network \"a\"\n"#) }?.value == 5)
    #expect(
      found.first { $0.key.contains("network") }?.key.contains(#"stage="signature",code="signature_invalid""#) == true
    )
  }

  @Test func `have every reject code from the start, and each sample once`() throws {
    let text = try PrometheusText(ConsumerMetrics(version: "1.2.3").exposition(of: .process))
    let rejected = text.samples.filter { $0.key.hasPrefix("postback_rejected_total{") }
    #expect(rejected.count == RejectCode.allCases.count)
    #expect(rejected.values.allSatisfy { $0 == 0 })
    #expect(Set(text.samples.keys).count == text.sampleCount)
    for (family, kind) in text.kinds {
      #expect(family.hasSuffix("_total") == (kind == "counter"), "\(family)")
      #expect(text.helps[family]?.isEmpty == false, "\(family)")
    }
  }

  @Test func `include the resources of the process`() throws {
    let folder = try TemporaryFolder()
    let before = ProcessUsage.now()
    #expect(before.residentBytes > 1 << 20)
    #expect(abs(before.startedAt.milliseconds - Timestamp.now.milliseconds) < 24 * 3_600_000)
    #expect(before.startedAt <= .now)
    let path = try folder.makeFile("file")
    let files = (0..<50).map { _ in FileHandle(forReadingAtPath: path) }
    #expect(ProcessUsage.now().openDescriptors > before.openDescriptors + 25)
    for file in files { try file?.close() }
  }
}
