internal import JSON
internal import SKAdNetwork

/// The channel and the forwarder by which a copy of a postback came; nil where its envelope does not say.
package struct CopyOrigin: Hashable, Sendable {
  /// `apple_direct` or `network_forwarded`.
  package let channel: String?
  /// The forwarder's name.
  package let forwarder: String?

  /// A sender.
  package init(channel: String?, forwarder: String?) {
    (self.channel, self.forwarder) = (channel, forwarder)
  }

  /// Whether a device sent the copy itself, as far as the envelope can tell: its endpoint is open to everybody.
  package var isDirect: Bool { channel == Channel.appleDirect.rawValue }

  fileprivate var order: String { "\(channel ?? "") \(forwarder ?? "")" }
}

/// Copies of genuine postbacks that have another unsigned value than the copy that came first.
package struct Conflicts: Sendable {
  /// A field on which copies do not agree with the first, with where both came from.
  package struct Difference: Sendable {
    /// Apple's name of the field.
    package let field: String
    /// The value of the copy that came first; nil where it has none.
    package let first: String?
    /// The value of the later copies.
    package let later: String?
    /// The sender of the first copy; nil where the tables do not have it.
    package let firstFrom: CopyOrigin?
    /// The sender of the later copies.
    package let laterFrom: CopyOrigin
    /// Later copies.
    package fileprivate(set) var copies = 0

    /// The sender that changed the value: the one whose copy a device's own copy contradicts, whichever came first. Nil where
    /// both copies, or neither, are a device's.
    package var attributedTo: CopyOrigin? { Conflicts.attributed(firstFrom, laterFrom) }

    fileprivate var order: [String] {
      [field, first ?? "", later ?? "", firstFrom?.order ?? "", laterFrom.order]
    }
  }

  /// The conflicts that are attributed to one forwarder.
  package struct Party: Sendable {
    /// The forwarder; nil where envelopes do not name it.
    package let forwarder: String?
    /// The later copies, its own or a device's.
    package fileprivate(set) var copies = 0
    /// The postbacks, each once.
    package fileprivate(set) var postbacks = 0
    /// The postbacks of which its own copy came first, was accepted, and gave the value.
    package fileprivate(set) var cameFirst = 0
  }

  /// Copies, each once, whatever the number of their fields.
  package private(set) var copies = 0
  /// Copies that are attributed to a forwarder, named or not.
  package var attributedCopies: Int { parties.reduce(0) { $0 + $1.copies } }
  /// Copies whose first one is not in the tables.
  package private(set) var unknownFirsts = 0
  /// Copies that are not followed, as there are too many.
  package let unfollowed: Int
  /// What copies do not agree on, the most frequent first.
  package private(set) var differences: [Difference] = []
  /// The forwarders that conflicts are attributed to, those with the most postbacks first.
  package private(set) var parties: [Party] = []
  /// Rejected copies of each forwarder that are another's doing; those of devices are under nil.
  private(set) var attributedElsewhere: [String?: Int] = [:]
  private let firsts: [UInt128: ConflictTable.First]

  /// The sum of what was collected.
  init(_ table: ConflictTable) {
    firsts = table.firsts
    unfollowed = table.unfollowed
    let contents = table.contents.map(Content.init)
    var found: [Key: Difference] = [:]
    var parties: [String?: Party] = [:]
    var postbacks: [String?: Set<UInt128>] = [:]
    var wereFirst: [String?: Set<UInt128>] = [:]
    for copy in table.copies {
      let first = table.firsts[copy.key]
      guard copy.matches || first?.matches == true else { continue }
      let content = contents[Int(copy.content)]
      copies += 1
      if first == nil { unknownFirsts += 1 }
      for (field, one, other) in content.fields {
        let key = Key(field: field, first: one, later: other, firstFrom: first?.origin, laterFrom: content.origin)
        found[
          key,
          default: Difference(
            field: field,
            first: one,
            later: other,
            firstFrom: first?.origin,
            laterFrom: content.origin
          )
        ].copies += 1
      }
      guard let party = Self.attributed(first?.origin, content.origin) else { continue }
      parties[party.forwarder, default: Party(forwarder: party.forwarder)].copies += 1
      postbacks[party.forwarder, default: []].insert(copy.key)
      if content.origin.isDirect {
        wereFirst[party.forwarder, default: []].insert(copy.key)
        attributedElsewhere[content.origin.forwarder, default: 0] += 1
      }
    }
    differences = found.values.sorted { one, other in
      one.copies == other.copies
        ? one.order.lexicographicallyPrecedes(other.order) : one.copies > other.copies
    }
    self.parties = parties.values.map { party in
      var party = party
      party.postbacks = postbacks[party.forwarder]?.count ?? 0
      party.cameFirst = wereFirst[party.forwarder]?.count ?? 0
      return party
    }
    .sorted { ($1.postbacks, $0.forwarder ?? "") < ($0.postbacks, $1.forwarder ?? "") }
  }

  /// The sender of the first copy of a postback, by its key in hexadecimal; nil where it is not known.
  package func origin(ofFirst key: String) -> CopyOrigin? { UInt128(key, radix: 16).flatMap { firsts[$0]?.origin } }

  fileprivate static func attributed(_ first: CopyOrigin?, _ later: CopyOrigin) -> CopyOrigin? {
    guard let first, first.isDirect != later.isDirect else { return nil }
    return first.isDirect ? later : first
  }

  private struct Key: Hashable {
    let field: String
    let first, later: String?
    let firstFrom: CopyOrigin?
    let laterFrom: CopyOrigin
  }

  /// The cells of rejects that are told from each other: where they came from, and `conflicting_fields`.
  private struct Content {
    let origin: CopyOrigin
    var fields: [(field: String, first: String?, later: String?)] = []

    init(_ key: GroupKey) {
      let cells = key.values
      origin = CopyOrigin(channel: cells[0], forwarder: cells[1])
      guard let text = cells[2], case .array(let fields) = try? JSONValue(parsing: Array(text.utf8)) else { return }
      for case .object(let members) in fields {
        func text(_ key: String) -> String? {
          guard case .string(let text) = members.first(where: { $0.key == key })?.value else { return nil }
          return text
        }
        if let field = text("field") { self.fields.append((field, text("first"), text("later"))) }
      }
    }
  }
}
