package import LookupTables

/// The parties whose conversion values a suspicion is about: forwarders and networks with an alarm of a test of values.
package struct ValueSuspicions: Sendable {
  private struct Concern: Hashable {
    /// The app that the alarm is about; nil for all.
    let app: String?
    /// The test and the party in words.
    let text: String
  }

  private var concerns: [SignalParty: [Concern]] = [:]

  /// No suspicions.
  package init() {}

  /// Adds the suspicion that a test in words has of a party, about an app, or about all.
  package mutating func add(_ party: SignalParty, app: String?, _ text: String) {
    let concern = Concern(app: app, text: text)
    if concerns[party]?.contains(concern) != true { concerns[party, default: []].append(concern) }
  }

  /// Indicates that there are none.
  package var isEmpty: Bool { concerns.isEmpty }

  /// The suspicions in words, in order.
  package var words: [String] { Set(concerns.values.joined().map(\.text)).sorted() }

  /// The suspicions about the value of a postback, in words. `sender` has the forwarder, the app, and then the names by which the
  /// network is known; nothing if a device's own copy has the value.
  func about(_ sender: [String?]) -> [String] {
    guard !isEmpty, sender.count > 2 else { return [] }
    let (forwarder, app, networks) = (sender[0], sender[1], sender[2...].compactMap(\.self))
    var found: Set<String> = []
    var parties = networks.map { SignalParty(kind: .network, name: $0) }
    if let forwarder { parties.append(SignalParty(kind: .forwarder, name: forwarder)) }
    for party in parties {
      for concern in concerns[party] ?? [] where concern.app == nil || concern.app == app { found.insert(concern.text) }
    }
    return found.sorted()
  }
}
