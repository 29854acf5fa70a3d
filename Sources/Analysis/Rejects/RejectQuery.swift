internal import PostbackPipeline
internal import SKAdNetwork

/// A query over the rejects of one or more runs.
package struct RejectQuery: Sendable {
  /// The conditions, all of which a reject must meet.
  package var conditions: [Condition] = []
  /// The span of time in which a reject must have been received.
  package var span = TimeSpan()
  /// The columns by which the rejects are counted.
  package var grouping: [GroupColumn]
  /// The number of matching rejects to keep whole; the first ones are kept.
  package var shownRows = 0
  /// True to compare copies with the first copy, whatever the other properties say.
  package var comparesCopies = false

  /// Creates a query for all rejects, counted by these columns.
  package init(grouping: [GroupColumn]) { self.grouping = grouping }

  /// True if copies with other unsigned values are compared with the copy that came first. This is so if the query
  /// distinguishes senders, shows rows, or asks for such copies. It requires reading every accepted postback.
  package var wantsConflicts: Bool {
    let senders = ["channel", "forwarder", "conflicting_fields", "first_seen_postback_key"]
    return comparesCopies || shownRows > 0 || grouping.contains { senders.contains($0.name) }
      || conditions.contains { condition in
        senders.contains(condition.column)
          || condition.column == "reject_code" && condition.values.contains(RejectCode.duplicateConflict.rawValue)
      }
  }

  /// The conditions on columns that accepted postbacks also have. Only these apply to the number of records read.
  var sharedConditions: [Condition] { conditions.filter { Table.postbacks.columns.contains($0.column) } }

  /// The conditions on columns that only rejects have.
  var ownConditions: [Condition] { conditions.filter { !Table.postbacks.columns.contains($0.column) } }
}
