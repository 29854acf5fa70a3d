/// What earlier runs have left, and what goes on from it: the ledger, the log of first postbacks and their index.
///
/// One process at a time has it.
package final class State {
  /// What is committed.
  package let ledger: Ledger
  /// What is known of inputs.
  let register: InputRegister
  let log: SeenLog
  private var index: TransactionIndex?

  /// Opens the state in a folder, or makes one; what is not committed is cut off.
  package init(_ folder: String, settings: [String: String]) throws(StateFailure) {
    ledger = try Ledger(try StateFolder(folder), settings: settings)
    register = try InputRegister(ledger)
    var index = TransactionIndex(expecting: try SeenLog.expectedCount(ledger))
    log = try SeenLog.recover(ledger, into: &index)
    self.index = index
  }

  /// The index of all first postbacks, which belongs to whoever asks first: it is too large to have twice.
  func takeIndex() -> TransactionIndex {
    defer { index = nil }
    guard let index else { preconditionFailure("the index was taken") }
    return index
  }
}
