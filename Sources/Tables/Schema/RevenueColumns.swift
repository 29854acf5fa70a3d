// The columns of amounts that the tables of postbacks and of events share.
extension Column {
  static let minRevenue = Column(.minRevenue, .money, "The least possible revenue. Null if `skan_revenue` is null.")
  static let maxRevenue = Column(
    .maxRevenue,
    .money,
    """
    The limit that the revenue stays below, or the exact revenue if it equals `min_revenue`. Null if `skan_revenue` \
    is null, and if there is no upper limit: a sum with such a row has no upper limit either.
    """
  )
  static let currency = Column(
    .currency,
    .currency,
    "The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if `skan_revenue` is null."
  )
}
