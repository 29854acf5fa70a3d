/// The place of a row of `skan_vendor_daily`. What no row of the vendor names is nil.
struct VendorKey: Hashable, Sendable, Comparable {
  var day: Int64?
  var app: Int64?
  var network: String?
  var campaign: Int64?
  var source: String?
  var window: Int64?

  static func < (left: Self, right: Self) -> Bool {
    let numbers = [(left.day, right.day), (left.app, right.app)]
    for (one, other) in numbers where one != other { return (one ?? .max) < (other ?? .max) }
    if left.network != right.network { return precedes(left.network, right.network) }
    if left.campaign != right.campaign { return (left.campaign ?? .max) < (right.campaign ?? .max) }
    if left.source != right.source { return precedes(left.source, right.source) }
    return (left.window ?? .max) < (right.window ?? .max)
  }

  private static func precedes(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one != nil }
    return one < other
  }
}

/// The columns that rows of a vendor have values for, by which they are compared.
struct VendorColumns: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let date = Self(rawValue: 1)
  static let app = Self(rawValue: 2)
  static let network = Self(rawValue: 4)
  static let campaign = Self(rawValue: 8)
  static let window = Self(rawValue: 16)
  static let source = Self(rawValue: 32)

  /// The names of the columns.
  var names: [String] {
    let all: [(Self, String)] = [
      (.date, "date"), (.app, "app_id"), (.network, "ad_network_id"), (.campaign, "campaign_id"),
      (.source, "source_identifier"), (.window, "postback_sequence_index"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}
