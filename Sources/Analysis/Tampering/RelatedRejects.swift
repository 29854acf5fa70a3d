package import PostbackPipeline
package import SKAdNetwork
package import TableReading
internal import Tampering

/// Groups of rejects with one signature or one transaction but different contents, with the accepted postbacks that
/// belong to them.
package struct RelatedRejects: Sendable {
  /// The property that the postbacks of a group share.
  package enum Bond: String, Sendable, CaseIterable {
    /// One signature, on postbacks of several transactions; it can be valid for one of them only.
    case signature
    /// One transaction of one ad network, in one window, with different contents.
    case transaction
  }

  /// The postbacks of a group that have the same values, reject code, channel and forwarder.
  package struct Member: Sendable {
    /// The reject code; nil for accepted postbacks.
    package let code: String?
    /// The key of the first one's row: the `raw_sha256` of a reject, or the `postback_key` of an accepted postback.
    package let key: String
    /// The channel and the forwarder by which they came.
    package let origin: CopyOrigin
    /// The `received_at` of the first one; nil if its row has none.
    package let receivedAt: String?
    /// The values of the fields, in UTF-8.
    package let values: [Field: [UInt8]]
    /// The number of postbacks.
    package fileprivate(set) var count = 1

    fileprivate func isLike(_ other: Member) -> Bool {
      code == other.code && origin == other.origin && values == other.values
    }
  }

  /// Postbacks that share a signature or a transaction.
  package struct Group: Sendable {
    /// The property that the rejects of the group share.
    package let bond: Bond
    /// The number of postbacks, also those that are in none of `members`.
    package fileprivate(set) var count = 0
    /// The distinct members, at most `mostMembers`: accepted postbacks first, then rejects in the order of the tables.
    package fileprivate(set) var members: [Member] = []
    /// The fields in which the members differ.
    package fileprivate(set) var differences: [Field] = []

    /// The number of postbacks that are in none of `members`.
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

  /// The largest groups by signature, then those by transaction, at most `limit` of each.
  package let groups: [Group]
  /// The number of groups that were found by each property, also those that are not in `groups`.
  package let counts: [Bond: Int]
  /// Indicates that every group was found. It is false if there are more than 500 000 signatures or transactions, as further
  /// ones are ignored.
  package let isComplete: Bool

  /// Finds the groups of the rejects that match a query. It reads the tables twice, because the values of all records
  /// would take too much memory.
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
