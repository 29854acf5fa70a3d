internal import Analysis
internal import FraudSignals
internal import JSON

/// The parts of a case that a partner does not get: our revenue, our paths, and the names of other parties.
struct CaseMask {
  /// Indicates that the case is for a partner; without it nothing is left out.
  let isForPartner: Bool
  /// The names of the forwarders that the case is about.
  let forwarders: Set<String>

  /// The name in place of others.
  static let other = "another party"

  /// The columns of rows that are facts of a record itself.
  private static let columns: Set<String> = [
    "stage", "reject_code", "reject_detail", "field", "expected", "found", "framework", "version", "ad_network_id",
    "transaction_id", "app_id", "campaign_id", "source_identifier", "source_app_id", "source_domain", "redownload",
    "conversion_type", "fidelity_type", "ad_interaction_type", "did_win", "postback_sequence_index", "conversion_value",
    "coarse_conversion_value", "country_code", "key_id", "environment", "signature_state", "conflicting_fields",
    "channel", "forwarder", "received_at", "raw_sha256",
  ]

  /// The name of a forwarder, or of another party.
  func forwarder(_ name: String?) -> String? {
    guard isForPartner, let name, !forwarders.contains(name) else { return name }
    return Self.other
  }

  /// The sender of a copy.
  func origin(_ origin: CopyOrigin?) -> CopyOrigin? {
    origin.map { CopyOrigin(channel: $0.channel, forwarder: forwarder($0.forwarder)) }
  }

  /// The cells of a row.
  func row(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
    guard isForPartner else { return members }
    return members.filter { Self.columns.contains($0.key) }.map { member in
      guard member.key == "forwarder" else { return member }
      return .init(member.key, .text(forwarder(member.value.text)))
    }
  }

  /// The tests without our revenue.
  func tests(_ tests: [SignalTest]) -> [SignalTest] {
    guard isForPartner else { return tests }
    return tests.filter { $0.name != .raisedRevenue }.map { test in
      var test = test
      test.money = [:]
      return test
    }
  }

  /// The sentences about the method without those about revenue.
  func sentences(_ sentences: [String]) -> [String] {
    isForPartner ? sentences.filter { !$0.hasPrefix("Revenue ") } : sentences
  }
}
