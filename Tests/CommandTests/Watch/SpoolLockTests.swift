import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite struct `The lock of a spool` {
  /// The result of another consumer of the site's spool, which writes other tables.
  private func another(_ site: WatchSite, _ options: [String] = []) async throws -> BuiltCommand.Result {
    let folders = [site.folder.path("spool"), "--out", site.folder.path("other")]
    return try await BuiltCommand.run(["watch"] + folders + ["--once"] + options)
  }

  @Test func `keeps out another consumer, also one of other tables, and names the first`() async throws {
    let site = try WatchSite()
    let first = try site.start()
    try await site.waitFor("watching")
    let result = try await another(site)
    #expect(result.status == 75)
    #expect(result.errorText.contains("process \(first.processIdentifier) ("), "\(result.errorText)")
    // It has begun nothing.
    #expect(!FileManager.default.fileExists(atPath: site.folder.path("other")))
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    try await site.waitFor("committed")
    first.terminate()
    first.waitUntilExit()
    #expect(try await another(site).status == 0)
  }

  @Test func `is released when its holder is killed`() async throws {
    let site = try WatchSite()
    let first = try site.start()
    try await site.waitFor("watching")
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    let result = try await another(site)
    #expect(result.status == 0, "\(result.errorText)")
  }

  @Test func `also keeps serve --watch out, and no receiver alone`() async throws {
    let site = try WatchSite()
    let first = try site.start()
    try await site.waitFor("watching")
    let spool = ["--spool", site.folder.path("spool"), "--listen", "127.0.0.1:0"]
    let both = try await BuiltCommand.run(["serve", "--watch", "--out", site.folder.path("other")] + spool)
    #expect(both.status == 75 && both.errorText.contains("process \(first.processIdentifier) ("))
    // Two receivers feed one consumer.
    for number in 0..<2 {
      let receiver = try await ServerSite(in: site.folder)
      #expect(try receiver.request("POST", "/v1/postbacks", body: "{}").status == 401)
      let device = "/.well-known/skadnetwork/report-attribution/"
      #expect(try receiver.request("POST", device, body: "{\"n\":\(number)}").status == 200)
      #expect(try await receiver.stop() == 0)
    }
    #expect(first.isRunning)
  }
}
