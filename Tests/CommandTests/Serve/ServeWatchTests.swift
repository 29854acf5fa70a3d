import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite struct `A receiver with --watch` {
  private static let options = ["--watch", "--out", "FOLDER/out", "--commit-ms", "50", "--part-bytes", "1"]

  private func rows(_ site: ServerSite, _ table: String) throws -> [JSONObject] {
    let folder = site.folder.path("out/\(table)")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasPrefix("part-") } ?? []
    return try names.sorted().flatMap { try JSONObject.lines(try site.folder.contents(of: "out/\(table)/\($0)")) }
  }

  @Test func `writes Apple's example to the table`() async throws {
    let site = try await ServerSite(Self.options)
    let postback = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[1], as: UTF8.self)
    #expect(try site.request("POST", device, body: postback).status == 200)
    #expect(try site.request("POST", device, body: "[\(postback)]").status == 200)
    try await site.wait("both have rows") {
      try rows(site, "skan_postbacks").count == 1 && rows(site, "skan_rejects").count == 1
    }
    let row = try rows(site, "skan_postbacks")[0]
    #expect(row["channel"] == .string("apple_direct") && row["signature_state"] == .string("valid"))
    #expect(row["received_at_source"] == .string("envelope"))
    let reject = try rows(site, "skan_rejects")[0]
    #expect(reject["reject_code"] == .string("not_an_object") && reject["channel"] == .string("apple_direct"))
    #expect(reject["received_at"] != .null)
    // The consumer's numbers come with the receiver's, each once.
    try await site.wait("the consumer's numbers are there") {
      try site.metric(#"postback_rejected_total{stage="parse",code="not_an_object"}"#) == 1
    }
    let metrics = try site.request("GET", "/metrics").text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
    #expect(Set(metrics).count == metrics.count && metrics.count > 20)
    #expect(try await site.stop() == 0)
  }

  @Test func `has every acknowledged postback in the tables after a restart`() async throws {
    let dump = try await GeneratedDump(count: 300, seed: 5)
    let site = try await ServerSite(Self.options + dump.keys)
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    let client = try site.client()
    for line in lines { #expect(try client.request("POST", device, body: line).status == 200) }
    #expect(try await site.stop() == 0)
    let watch = ["watch", site.spool, "--once", "--out", site.folder.path("out"), "--part-bytes", "1"]
    let result = try await BuiltCommand.run(watch + dump.keys)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try rows(site, "skan_postbacks").count + rows(site, "skan_rejects").count == lines.count)
    #expect(try site.names("new").isEmpty)
  }

  @Test func `rejects a body that is not JSON, with its bytes as received`() async throws {
    let site = try await ServerSite()
    let good = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[1]
    let bodies: [([UInt8], String)] = [
      (Array("hello".utf8), "not_json"), (Array("[]".utf8), "not_an_object"), ([0xFF], "invalid_utf8"),
      (Array(#"{"app-id":1,"app-id":1}"#.utf8), "duplicate_key"), (good + [0], "not_json"),
      (Array(#"{"a":\#(String(repeating: "[", count: 80))\#(String(repeating: "]", count: 80))}"#.utf8), "too_deep"),
      (Array(#"{"version":"2.9"}"#.utf8), "unknown_version"),
    ]
    for (body, _) in bodies { #expect(try site.client().request("POST", device, body: body).status == 200) }
    #expect(try await site.stop() == 0)
    let watch = ["watch", site.spool, "--once", "--out", site.folder.path("out"), "--part-bytes", "1"]
    #expect(try await BuiltCommand.run(watch).status == 0)
    #expect(try rows(site, "skan_rejects").map { $0["reject_code"] } == bodies.map { .string($0.1) })
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `goes on if an fsync of the output fails, and then has every acknowledged postback in the tables`() async throws
  {
    // The receiver uses fsync; fdatasync belongs to the tables and the state.
    let fault = Fault(call: "fdatasync", effect: "error=EIO", count: "5..6")
    let dump = try await GeneratedDump(count: 60, seed: 6)
    let site = try await ServerSite(Self.options + dump.keys, fault: fault)
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    for line in lines { #expect(try site.client().request("POST", device, body: line).status == 200) }
    try await site.wait("the consumer fails and continues") {
      let events = try site.log().compactMap { $0["event"] }
      return events.contains(.string("consumer_failing")) && events.last != .string("consumer_failing")
        && events.contains(.string("resumed"))
    }
    #expect(try site.metric("postback_consumer_failures_total") ?? 0 >= 1)
    #expect(try site.metric(#"postback_consumer_state{state="running"}"#) == 1)
    try await site.wait("all have rows") {
      try rows(site, "skan_postbacks").count + rows(site, "skan_rejects").count == lines.count
    }
    try await site.wait("the metrics say that nothing waits") {
      try site.metric("postback_spool_waiting_files") == 0
    }
    #expect(try await site.stop() == 0)
  }

  @Test func `loads models again, and keeps the old ones if the new ones are invalid`() async throws {
    let site = try await ServerSite(["--models", "FOLDER/models.json"], files: ["models.json": Self.model])
    try site.folder.makeFile("models.json", holding: Array("{".utf8))
    site.signal(SIGHUP)
    try await site.wait("the models are found wrong") {
      try site.log().contains { $0["event"] == .string("reload_failed") }
    }
    try site.folder.makeFile("models.json", holding: Array(Self.model.utf8))
    site.signal(SIGHUP)
    try await site.wait("the models are loaded") { try site.log().contains { $0["event"] == .string("reloaded") } }
    #expect(try site.request("GET", "/healthz").status == 200)
  }

  private static let model = String(decoding: Fixtures.bytes("models/525463029.json"), as: UTF8.self)
}
