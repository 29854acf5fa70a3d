/// The outcome of moving a file out of the folder in which it waits.
package enum SpoolFiling: Hashable, Sendable {
  /// The file no longer waits. Another process may have put it away.
  case done
  /// The file has changed since it was read. It still waits, and is read again as another file. The value is a sentence
  /// for the log.
  case changed(String)
  /// The file cannot be moved. It waits where it is, and is left alone for a while. The value is a sentence for the
  /// log.
  case stuck(String)

  /// The sentence for the log; nil if the file no longer waits.
  package var problem: String? {
    switch self {
    case .done: nil
    case .changed(let sentence), .stuck(let sentence): sentence
    }
  }
}
