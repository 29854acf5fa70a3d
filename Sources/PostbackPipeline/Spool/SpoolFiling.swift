/// What came of putting a file of the spool away.
package enum SpoolFiling: Hashable, Sendable {
  /// It does not wait any more; also where somebody else had put it away.
  case done
  /// It changed since it was read: it waits on, to be read as another file. A sentence for the log.
  case changed(String)
  /// It could not be moved, waits where it is, and is left alone for a while. A sentence for the log.
  case stuck(String)

  /// What to log; nil where all is well.
  package var problem: String? {
    switch self {
    case .done: nil
    case .changed(let sentence), .stuck(let sentence): sentence
    }
  }
}
