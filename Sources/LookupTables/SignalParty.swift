internal import Base

/// A party whose postbacks are compared with those of all others.
package struct SignalParty: Hashable, Comparable, Sendable {
  /// The kinds of parties.
  package enum Kind: String, CaseIterable, Sendable {
    case forwarder, network, app

    package func hash(into hasher: inout Hasher) { hasher.combine(case: self) }
  }

  package let kind: Kind
  /// The name of the forwarder, the id of the network, or the id of the app.
  package let name: String

  package init(kind: Kind, name: String) {
    (self.kind, self.name) = (kind, name)
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }
}
