package import ConversionModel
package import TableReading

/// The tables that the tests of signals read, and what decoded their rows.
package struct SignalInputs: Sendable {
  package let rejects: TableFiles
  package let accepted: TableFiles
  /// The table `skan_settled`; without it values, sender and time of a postback are those of the copy that was accepted.
  package var settled: TableFiles?
  /// The table `skan_enriched`; without it there are no tests of campaigns.
  package var enriched: TableFiles?
  /// The models that decoded the rows.
  package var models: [ConversionModel] = []
  /// The first time of receipt, in milliseconds since 1970, of the rows that are tested; nil for all. Of days from which some rows were
  /// removed the rest would give wrong shares.
  package var since: Int64?
  /// The number of days after the first copy of a sender from which a further copy of it is late.
  package var lateAfterDays = SignalCounter.lateAfterDays

  /// Takes the tables of runs alone.
  package init(rejects: TableFiles, accepted: TableFiles) { (self.rejects, self.accepted) = (rejects, accepted) }
}
