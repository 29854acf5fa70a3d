internal import JSON
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading

/// The channel and the forwarder through which a copy of a postback came; nil if its envelope does not name them.
package struct CopyOrigin: Hashable, Sendable {
  /// `apple_direct` or `network_forwarded`.
  package let channel: String?
  /// The forwarder's name.
  package let forwarder: String?

  /// Creates an origin.
  package init(channel: String?, forwarder: String?) {
    (self.channel, self.forwarder) = (channel, forwarder)
  }

  /// Indicates that, by its envelope, a device sent the copy itself. This is no proof: the endpoint for devices is
  /// public.
  package var isDirect: Bool { channel == Channel.appleDirect.rawValue }

  fileprivate var order: String { "\(channel ?? "") \(forwarder ?? "")" }
}

/// Copies of genuine postbacks whose unsigned values differ from those of the copy that came first.
package struct Conflicts: Sendable {
  /// A field whose value in later copies differs from that in the first copy, with the origins of both.
  package struct Difference: Sendable, Hashable {
    /// Apple's name of the field.
    package let field: String
    /// The value of the copy that came first; nil if it has none.
    package let first: String?
    /// The value of the later copies.
    package let later: String?
    /// The sender of the first copy; nil if the tables do not have it.
    package fileprivate(set) var firstFrom: CopyOrigin?
    /// The sender of the later copies.
    package fileprivate(set) var laterFrom: CopyOrigin
    /// The number of later copies.
    package fileprivate(set) var copies = 0

    /// The sender to which the change is attributed: if one of the two copies is a device's own, the sender of the
    /// other one, whichever came first. Nil if both copies, or neither, are a device's own, or if the first copy is
    /// unknown.
    package var attributedTo: CopyOrigin? { Conflicts.attributed(firstFrom, laterFrom) }

    fileprivate var order: [String] {
      [field, first ?? "", later ?? "", firstFrom?.order ?? "", laterFrom.order]
    }
  }

  /// The conflicts that are attributed to one forwarder.
  package struct Party: Sendable {
    /// The forwarder; nil if envelopes do not name it.
    package fileprivate(set) var forwarder: String?
    /// The number of later copies, its own or a device's.
    package fileprivate(set) var copies = 0
    /// The number of postbacks; each counts once.
    package fileprivate(set) var postbacks = 0
    /// The number of postbacks whose first copy, which was accepted and supplied the value, is its own.
    package fileprivate(set) var cameFirst = 0
  }

  /// The number of copies; each counts once, even if several of its fields differ.
  package private(set) var copies = 0
  /// The number of copies that are attributed to a forwarder, named or not.
  package var attributedCopies: Int { parties.reduce(0) { $0 + $1.copies } }
  /// The number of copies whose first copy is not in the tables.
  package private(set) var unknownFirsts = 0
  /// The number of copies that are left out, because there are too many.
  package let unfollowed: Int
  /// The differing values, the most frequent first.
  package private(set) var differences: [Difference] = []
  /// The forwarders that conflicts are attributed to, those with the most postbacks first.
  package private(set) var parties: [Party] = []
  /// The number of rejected copies from devices that are attributed to the sender of the first copy, by the forwarder
  /// of the rejected copy, which is usually nil.
  private(set) var attributedElsewhere: [String?: Int] = [:]
  /// The number of rejected copies that are attributed to nobody, by their forwarder: neither copy is a device's own, or
  /// both are.
  private(set) var unattributed: [String?: Int] = [:]
  private var firsts: [PostbackKey: ConflictTable.First]

  /// Summarizes the copies that were collected.
  init(_ table: ConflictTable) {
    firsts = table.firsts
    unfollowed = table.unfollowed
    let contents = table.contents.map(Content.init)
    var found: [Difference: Int] = [:]
    var parties: [String?: Party] = [:]
    var postbacks: [String?: Set<PostbackKey>] = [:]
    var wereFirst: [String?: Set<PostbackKey>] = [:]
    for copy in table.copies {
      let first = table.firsts[copy.key]
      guard copy.matches || first?.matches == true else { continue }
      let content = contents[Int(copy.content)]
      copies += 1
      if first == nil { unknownFirsts += 1 }
      for (field, one, other) in content.fields {
        let origin = first?.origin
        let difference =
          Difference(field: field, first: one, later: other, firstFrom: origin, laterFrom: content.origin)
        found[difference, default: 0] += 1
      }
      guard let party = Self.attributed(first?.origin, content.origin) else {
        unattributed[content.origin.forwarder, default: 0] += 1
        continue
      }
      parties[party.forwarder, default: Party(forwarder: party.forwarder)].copies += 1
      postbacks[party.forwarder, default: []].insert(copy.key)
      if content.origin.isDirect {
        wereFirst[party.forwarder, default: []].insert(copy.key)
        attributedElsewhere[content.origin.forwarder, default: 0] += 1
      }
    }
    differences = found.map { difference, count in
      var difference = difference
      difference.copies = count
      return difference
    }
    .sorted { one, other in
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

  /// The sender of the first copy of a postback, by its key in hexadecimal; nil if it is not known.
  package func origin(ofFirst key: String) -> CopyOrigin? {
    PostbackKey(hexadecimal: key.utf8.span).flatMap { firsts[$0]?.origin }
  }

  /// The conflicts with other names of the senders, and without the origins of single copies.
  package func renaming(_ name: (String?) -> String?) -> Conflicts {
    func origin(_ origin: CopyOrigin) -> CopyOrigin {
      CopyOrigin(channel: origin.channel, forwarder: name(origin.forwarder))
    }
    var renamed = self
    renamed.firsts = [:]
    for (place, one) in differences.enumerated() {
      renamed.differences[place].firstFrom = one.firstFrom.map(origin)
      renamed.differences[place].laterFrom = origin(one.laterFrom)
    }
    for (place, party) in parties.enumerated() { renamed.parties[place].forwarder = name(party.forwarder) }
    return renamed
  }

  static func attributed(_ first: CopyOrigin?, _ later: CopyOrigin) -> CopyOrigin? {
    guard let first, first.isDirect != later.isDirect else { return nil }
    return first.isDirect ? later : first
  }

  /// The distinct cells of copies: channel, forwarder and `conflicting_fields`.
  private struct Content {
    let origin: CopyOrigin
    var fields: [(field: String, first: String?, later: String?)] = []

    init(_ key: GroupKey) {
      let cells = key.values
      origin = CopyOrigin(channel: cells[0], forwarder: cells[1])
      guard let text = cells[2], let differing = try? JSONValue(parsing: Array(text.utf8)) else { return }
      for one in differing.elements ?? [] {
        if let field = one["field"]?.text { fields.append((field, one["first"]?.text, one["later"]?.text)) }
      }
    }
  }
}
