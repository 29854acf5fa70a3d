extension TableWriter {
  /// An input that has ended.
  package struct Ended: Sendable {
    package let input: InputFile
    /// The way in which it ended.
    package let end: InputEnd
    /// The number of its records that are in the tables; nil if that is not known.
    package let records: Int64?
  }

  /// The result of a commit.
  package struct Commit: Sendable {
    /// The inputs that ended.
    package let ends: [Ended]
    /// The counts of the records in the commit.
    package let tally: Tally
    /// The duration of the commit.
    package let duration: Duration
    /// The part of it in which the rows and the ids were made durable.
    package let synchronization: Duration
  }

  /// The progress of a run.
  package struct Progress: Sendable {
    /// The input that is being read.
    package let input: InputFile
    /// The number of bytes of it, as it is stored, that have been processed.
    package let consumed: Int64
    /// The counts of the records so far.
    package let tally: Tally
  }
}
