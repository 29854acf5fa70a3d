internal import PostbackPipeline
internal import SKAdNetwork

/// What is asked of the rejects of some runs.
package struct RejectQuery: Sendable {
  /// What rows have to be to count.
  package var conditions: [Condition] = []
  /// When they have to be received.
  package var span = TimeSpan()
  /// What they are counted by.
  package var grouping: [GroupColumn]
  /// How many of them are kept whole, the first that match.
  package var shownRows = 0
  /// Whether copies are compared whatever else is asked.
  package var comparesCopies = false

  /// All rejects, by these columns.
  package init(grouping: [GroupColumn]) { self.grouping = grouping }

  /// Whether copies with other unsigned values are held against the copies that came first: where senders are told apart, where
  /// rows are shown, or where such copies are asked for. It takes a look at every accepted postback.
  package var wantsConflicts: Bool {
    let senders = ["channel", "forwarder", "conflicting_fields", "first_seen_postback_key"]
    return comparesCopies || shownRows > 0 || grouping.contains { senders.contains($0.name) }
      || conditions.contains { condition in
        senders.contains(condition.column)
          || condition.column == "reject_code" && condition.values.contains(RejectCode.duplicateConflict.rawValue)
      }
  }

  /// The conditions on columns that accepted postbacks have too: what is read is counted by these alone.
  var sharedConditions: [Condition] { conditions.filter { Table.postbacks.columns.contains($0.column) } }

  /// The conditions that tell rejects from each other.
  var ownConditions: [Condition] { conditions.filter { !Table.postbacks.columns.contains($0.column) } }
}
