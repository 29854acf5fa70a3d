package import DurableFiles
internal import Ledger
package import PostbackVerification

/// The removal of recorded deliveries, with the lock that keeps new ones out meanwhile.
package struct DeliveryRemoval: ~Copyable {
  private let state: String
  private let lock: LockFile

  /// Locks the deliveries of a state. Throws `.locked` if a process sends them.
  package init(_ state: String) throws(FileFailure) { (self.state, lock) = (state, try DeliveryService.lock(state)) }

  /// Removes the deliveries of postbacks, also those that are pending, and overwrites their values in the file. Returns
  /// their number.
  package func remove(_ keys: Set<PostbackKey>) throws -> Int64 {
    guard !keys.isEmpty, try Outbox.exists(in: state) else { return 0 }
    return try Outbox(in: state).remove(keys)
  }
}

extension Outbox {
  fileprivate func remove(_ keys: Set<PostbackKey>) throws -> Int64 {
    try statement("PRAGMA secure_delete = ON").run()
    let removal = try statement("DELETE FROM deliveries WHERE postback_key = ? RETURNING 1")
    let awaited = try statement("DELETE FROM awaited_events WHERE postback_key = ?")
    var count = 0
    try transaction {
      for key in keys {
        count += try removal.all(.wide(key.number)) { _ in true }.count
        try awaited.run(.wide(key.number))
      }
    }
    try statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
    return Int64(count)
  }
}
