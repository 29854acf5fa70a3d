import HTTPClient
import JSON
import PostbackVerification
import TestSupport
import Testing

@testable import Delivery

@Suite struct `The deliveries of a postback` {
  @Test func `are read beside the sender, and when it has ended`() throws {
    let folder = try TemporaryFolder()
    let state = folder.path("")
    let key = PostbackKey(high: 0, low: 1)
    #expect(try Outbox.deliveries(of: key, in: state) == nil)
    do {
      let transport = ModelTransport(ModelTransport.status(404))
      let partner = try DeliverySite.partner("acme") { $0.retry.givesUpAfter = 90_000 }
      let site = try DeliverySite([partner], transport, outbox: Outbox(in: state))
      try site.plan(3, to: "acme")
      let planned = try #require(try Outbox.deliveries(of: key, in: state))
      #expect(planned.count == 1 && planned[0]["state"]?.text == "pending" && planned[0]["last_attempt_at"] == .null)
      try site.send()
      let sent = try #require(try Outbox.deliveries(of: key, in: state)?.first)
      #expect(sent["state"]?.text == "failed" && sent["attempts"]?.integer == 1 && sent["http_status"]?.integer == 404)
      #expect(sent["partner"]?.text == "acme" && sent["kind"]?.text == "install" && sent["next_attempt_at"] == .null)
    }
    let names = try folder.names
    #expect(try Outbox.deliveries(of: key, in: state)?.first?["state"]?.text == "failed")
    #expect(try Outbox.deliveries(of: PostbackKey(high: 9, low: 9), in: state) == [])
    #expect(try folder.names == names)
  }
}
