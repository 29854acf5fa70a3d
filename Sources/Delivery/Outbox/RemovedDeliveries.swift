/// The numbers of deliveries with a result that were removed, and of those that are pending again, by partner and state. The
/// totals have them, so they never go down.
enum RemovedDeliveries {
  /// The table, and the triggers that add to it in the transaction of each removal or change.
  static let schema = """
    CREATE TABLE IF NOT EXISTS removed_deliveries (
      partner TEXT NOT NULL, state TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (partner, state)) WITHOUT ROWID;
    CREATE TRIGGER IF NOT EXISTS count_removed_deliveries AFTER DELETE ON deliveries WHEN old.state <> 'pending' BEGIN
      INSERT INTO removed_deliveries VALUES (old.partner, old.state, 1)
        ON CONFLICT (partner, state) DO UPDATE SET number = number + 1;
    END;
    CREATE TRIGGER IF NOT EXISTS count_revived_deliveries AFTER UPDATE OF state ON deliveries
    WHEN old.state = 'cancelled' AND new.state = 'pending' BEGIN
      INSERT INTO removed_deliveries VALUES (old.partner, old.state, 1)
        ON CONFLICT (partner, state) DO UPDATE SET number = number + 1;
    END
    """
  /// The query of the totals by partner and state.
  static let totals = """
    SELECT partner, state, count(*) FROM deliveries GROUP BY partner, state
    UNION ALL SELECT partner, state, number FROM removed_deliveries
    """
}
