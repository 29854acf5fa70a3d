internal import PostbackPipeline

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

  /// All rejects, by these columns.
  package init(grouping: [GroupColumn]) { self.grouping = grouping }

  /// The conditions on columns that accepted postbacks have too: what is read is counted by these alone.
  var sharedConditions: [Condition] { conditions.filter { Table.postbacks.columns.contains($0.column) } }

  /// The conditions that tell rejects from each other.
  var ownConditions: [Condition] { conditions.filter { !Table.postbacks.columns.contains($0.column) } }
}
