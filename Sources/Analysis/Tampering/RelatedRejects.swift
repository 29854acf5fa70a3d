package import PostbackPipeline
package import SKAdNetwork

/// Rejects that belong together and do not say the same, and the accepted postbacks that belong to them.
package struct RelatedRejects: Sendable {
  /// What postbacks have in common.
  package enum Bond: String, Sendable, CaseIterable {
    /// One signature, on rejects of several transactions: it can be right for one of them only.
    case signature
    /// One transaction of one ad network, in one window, told in several ways.
    case transaction
  }

  /// Postbacks of a group that say the same, came to the same, and came from the same sender.
  package struct Member: Sendable {
    /// The reject code; nil of an accepted postback.
    package let code: String?
    /// Where the first is in the tables: its raw_sha256, or of an accepted postback its postback_key.
    package let key: String
    /// The channel and the forwarder by which they came.
    package let origin: CopyOrigin
    /// When the first was received; nil where nothing says.
    package let receivedAt: String?
    /// What they say, in UTF-8.
    package let values: [Field: [UInt8]]
    /// How many there are.
    package fileprivate(set) var count = 1

    fileprivate func isLike(_ other: Member) -> Bool {
      code == other.code && origin == other.origin && values == other.values
    }
  }

  /// Postbacks that belong together.
  package struct Group: Sendable {
    /// What they have in common.
    package let bond: Bond
    /// How many there are.
    package fileprivate(set) var count = 0
    /// What they say: an accepted postback first, then in the order of the rejects; at most `mostMembers`.
    package fileprivate(set) var members: [Member] = []
    /// The fields that the members do not agree on.
    package fileprivate(set) var differences: [Field] = []

    /// Those that are like none of the members.
    package var others: Int { count - members.reduce(0) { $0 + $1.count } }

    fileprivate mutating func add(_ member: Member) {
      count += 1
      if let place = members.firstIndex(where: member.isLike) {
        members[place].count += 1
      } else if members.count < Self.mostMembers {
        members.append(member)
      }
    }

    private static let mostMembers = 8
  }

  /// The largest groups by signature, then those by transaction, at most as many of each as were asked for.
  package let groups: [Group]
  /// How many groups there are.
  package let counts: [Bond: Int]
  /// Whether every group was found: of more than 500 000 signatures or transactions some are not looked at.
  package let isComplete: Bool

  /// Looks for the groups of the rejects that match a query. Goes through the tables twice: what every record says would be
  /// too much to keep.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    limit: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    let rows = RelatedRows(query)
    var tallies = RelatedTallies()
    try await rejects.scan(jobs: jobs) { batch in
      rows.rejects(in: batch) { postback, _ in RelatedTallies.Sighting(postback) }
    } take: {
      tallies.add($0)
    }
    let transactions = tallies.transactions
    try await accepted.scan(jobs: jobs) { batch in
      rows.accepted(in: batch) { postback, _ in
        postback.transaction.map(transactions.contains) == true ? RelatedTallies.Sighting(postback) : nil
      }
    } take: {
      tallies.add($0)
    }

    var places: [Bond: [Int: Int]] = [:]
    let chosen = tallies.largest(limit)
    for (place, (bond, key)) in chosen.enumerated() { places[bond, default: [:]][key] = place }
    let wanted = places
    var groups = chosen.map { Group(bond: $0.bond) }
    func take(_ members: [(places: [Int], member: Member)]) {
      for (places, member) in members {
        for place in places { groups[place].add(member) }
      }
    }
    try await accepted.scan(jobs: jobs) { batch in
      rows.accepted(in: batch) { postback, row in
        let places = postback.places(in: wanted)
        return places.isEmpty ? nil : (places, rows.acceptedMember(row, postback.values))
      }
    } take: {
      take($0)
    }
    try await rejects.scan(jobs: jobs) { batch in
      rows.rejects(in: batch) { postback, row in
        let places = postback.places(in: wanted)
        return places.isEmpty ? nil : (places, rows.rejectedMember(row, postback.values))
      }
    } take: {
      take($0)
    }
    self.groups = groups.map { group in
      var group = group
      group.differences = Field.allCases.filter { field in Set(group.members.map { $0.values[field] }).count > 1 }
      return group
    }
    counts = tallies.counts
    isComplete = tallies.isComplete
  }
}

extension RelatedPostback {
  fileprivate func places(in places: [RelatedRejects.Bond: [Int: Int]]) -> [Int] {
    let ofSignature = signature.flatMap { places[.signature]?[$0] }
    let ofTransaction = transaction.flatMap { places[.transaction]?[$0] }
    return [ofSignature, ofTransaction].compactMap(\.self)
  }
}
