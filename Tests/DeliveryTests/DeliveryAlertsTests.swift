import TestSupport
import Testing

@testable import Delivery

@Suite struct `The alerts of deliveries` {
  @Test func `name only metrics that exist`() throws {
    let alerts = String(decoding: Fixtures.bytes("../deploy/prometheus/alerts.yml"), as: UTF8.self)
    let named = Set(alerts.matches(of: /\bpostback_deliver\w+/).map { String($0.0) })
    #expect(named.count == 5)
    let metrics = try PrometheusText(Outbox.temporary().exposition([], leftOut: [:], at: 0, hasHeartbeat: true))
    #expect(named.isSubset(of: metrics.kinds.keys))
  }
}
