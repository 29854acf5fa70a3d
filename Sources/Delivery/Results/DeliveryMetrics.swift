internal import DurableFiles
internal import Ledger
internal import Metrics

extension Outbox {
  /// The metrics of the deliveries in Prometheus' text format, with a heartbeat if the process is to go on for ever.
  func exposition(
    _ queues: [PartnerQueue],
    leftOut: [String: [PartnerFilter: Int64]],
    at now: Int64,
    hasHeartbeat: Bool
  ) throws(FileFailure) -> String {
    var exposition = Exposition()
    if hasHeartbeat {
      exposition.begin(
        "postback_deliveries_heartbeat_timestamp_seconds",
        .gauge,
        "Time at which deliver wrote these metrics, in seconds since 1970; absent with --once and --deadline."
      )
      exposition.add(Double(now) / 1000)
    }
    func count(_ partner: String, _ state: DeliveryState) -> Int64 { counts[partner]?[state] ?? 0 }
    let partners = queues.map(\.partner.id)
    let totals: [(DeliveryState, String)] = [
      (.delivered, "Deliveries that partners have confirmed."),
      (.failed, "Deliveries that partners have refused, or that took too long."),
      (.cancelled, "Deliveries that were cancelled, also those that are sent after all."),
    ]
    for (state, help) in totals {
      exposition.begin("postback_deliveries_\(state.rawValue)_total", .counter, help)
      for partner in partners { exposition.add(count(partner, state), ["partner": partner]) }
    }
    exposition.begin("postback_deliveries_pending", .gauge, "Deliveries that will be attempted.")
    for partner in partners { exposition.add(count(partner, .pending), ["partner": partner]) }
    let name = "postback_deliveries_oldest_pending_age_seconds"
    exposition.begin(
      name,
      .gauge,
      "The time since which the oldest delivery without a result is due; 0 if there is none."
    )
    for partner in partners {
      let dueAt = try oldestPending(of: partner) ?? now
      exposition.add(Double(max(now - dueAt, 0)) / 1000, ["partner": partner])
    }
    exposition.begin("postback_delivery_circuit_open", .gauge, "1 while a partner is tried once a minute only.")
    for queue in queues { exposition.add(Int64(queue.isOpen ? 1 : 0), ["partner": queue.partner.id]) }
    exposition.begin(
      "postback_delivery_corrections_not_sent_total",
      .counter,
      "Delivered values that were restated, and whose correction the partner does not want."
    )
    for partner in partners { exposition.add(try correctionsNotSent(to: partner), ["partner": partner]) }
    exposition.begin(
      "postback_deliveries_left_out_total",
      .counter,
      "Postbacks that a filter of the partner has left out since the process began."
    )
    for partner in partners {
      for filter in PartnerFilter.allCases {
        exposition.add(leftOut[partner]?[filter] ?? 0, ["partner": partner, "filter": filter.rawValue])
      }
    }
    return exposition.text
  }

  /// Returns the number of corrections that a partner does not want.
  func correctionsNotSent(to partner: String) throws(FileFailure) -> Int64 {
    try statement("SELECT number FROM corrections_not_sent WHERE partner = ?")
      .first(.text(partner)) { row throws(FileFailure) in try row.integer(0) } ?? 0
  }
}
