internal import DurableFiles
internal import Ledger

/// The numbers of deliveries with a result that were removed, by partner and state, and of cancellations that were taken back. The
/// totals have both, so they never go down.
enum RemovedDeliveries {
  /// The table, and the triggers that add to it in the transaction of each removal or change.
  static let schema = """
    CREATE TABLE IF NOT EXISTS removed_deliveries (
      partner TEXT NOT NULL, state TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (partner, state)) WITHOUT ROWID;
    CREATE TRIGGER IF NOT EXISTS count_removed_deliveries AFTER DELETE ON deliveries WHEN old.state <> 'pending' BEGIN
      INSERT INTO removed_deliveries VALUES (old.partner, old.state, 1)
        ON CONFLICT (partner, state) DO UPDATE SET number = number + 1;
    END;
    CREATE TABLE IF NOT EXISTS revived_deliveries (partner TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
    DROP TRIGGER IF EXISTS count_revived_deliveries;
    CREATE TRIGGER IF NOT EXISTS count_revivals AFTER UPDATE OF state ON deliveries
    WHEN old.state = 'cancelled' AND new.state = 'pending' BEGIN
      INSERT INTO revived_deliveries VALUES (old.partner, 1) ON CONFLICT (partner) DO UPDATE SET number = number + 1;
    END
    """
  /// The query of the totals by partner and state.
  static let totals = """
    SELECT partner, state, count(*) FROM deliveries GROUP BY partner, state
    UNION ALL SELECT partner, state, number FROM removed_deliveries
    UNION ALL SELECT partner, 'cancelled', number FROM revived_deliveries
    """
}

extension Outbox {
  /// Returns the number of cancellations of deliveries to a partner that were taken back.
  func revivedCount(of partner: String) throws(FileFailure) -> Int64 {
    try statement("SELECT number FROM revived_deliveries WHERE partner = ?")
      .first(.text(partner)) { row throws(FileFailure) in try row.integer(0) } ?? 0
  }
}
