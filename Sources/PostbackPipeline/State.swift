package import DurableFiles
package import Ledger

/// The state that earlier runs have left and this run continues: the ledger, the log of first postbacks and their
/// index.
///
/// Only one process at a time can have it open.
package final class State {
  /// The database of everything that is committed.
  package let ledger: Ledger
  /// The catalog of known inputs, which decides where the reading of each begins.
  let catalog: InputCatalog
  let log: SeenLog
  private var index: TransactionIndex?

  /// Opens the state in a folder, or creates one. Cuts off entries of the log that are not committed.
  package init(_ folder: String, settings: [String: String]) throws(FileFailure) {
    ledger = try Ledger(try StateFolder(folder), settings: settings)
    catalog = try InputCatalog(ledger)
    var index = TransactionIndex(expecting: try SeenLog.expectedCount(ledger))
    log = try SeenLog.recover(ledger, into: &index)
    self.index = index
  }

  /// Returns the index of all first postbacks. Call it only once: the index is too large to have twice.
  func takeIndex() -> TransactionIndex {
    defer { index = nil }
    guard let index else { preconditionFailure("the index was taken") }
    return index
  }
}
