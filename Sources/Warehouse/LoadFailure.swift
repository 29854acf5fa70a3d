package import DurableFiles

/// The reason for which a load ended early.
package enum LoadFailure: Error {
  /// The tables or the state cannot be read.
  case file(FileFailure)
  /// The database failed or refused.
  case database(DatabaseFailure)
  /// The program was asked to end.
  case stopped
}
