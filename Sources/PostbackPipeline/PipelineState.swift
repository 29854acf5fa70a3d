package import DurableFiles
package import Ledger

/// The state that earlier runs have left: the ledger, the log of first postbacks and their index.
///
/// Only one process at a time can have it open. A run consumes it, because only one task may admit postbacks.
package struct PipelineState: ~Copyable {
  /// The database of everything that is committed.
  package let ledger: Ledger
  /// The catalog of known inputs, which decides where the reading of each begins.
  let catalog: InputCatalog
  /// The log of first postbacks.
  let log: SeenLog
  private let index: SeenIndex

  /// Opens the state in a folder, or creates one unless `mustExist` is true. Cuts off entries of the log that are not
  /// committed. Calls `progress` often, with the share of the work that is done.
  package init(
    _ folder: String,
    settings: [String: String],
    mustExist: Bool = false,
    progress: (Double) -> Void = { _ in }
  ) throws(FileFailure) {
    let locked = mustExist ? try StateFolder(existing: folder) : try StateFolder(folder)
    let ledger = try Ledger(locked, settings: settings)
    let catalog = try InputCatalog(ledger)
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index, progress: progress)
    (self.ledger, self.catalog, self.log, self.index) = (ledger, catalog, log, index)
  }

  /// Returns the index of all first postbacks, and ends the state.
  consuming func takeIndex() -> SeenIndex { index }
}
