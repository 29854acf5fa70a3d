internal import Base

/// A field of a session or an event that an app's server records.
package enum MetadataField: String, CaseIterable, Sendable {
  case receivedAt = "received_at"
  case device
  case sdkKey = "a"
  case platform = "p"
  case osVersion = "v"
  case bundleID = "i"
  case appVersion = "app_v"
  case event = "n"
  case idfa
  case idfv
  case currentValue = "skan_current_conversion_value"
  case previousValue = "prev_fine_value"
  case firstCall = "skan_first_call_to_skadnetwork_timestamp"
  case lastCall = "skan_last_call_to_skadnetwork_timestamp"
  case revenue = "skan_total_revenue_by_currency"
  case adRevenue = "skan_total_admon_revenue_by_currency"
  case coarse0 = "p0_coarse"
  case coarse1 = "p1_coarse"
  case coarse2 = "p2_coarse"
  case previousCoarse0 = "p0_prev_coarse_value"
  case previousCoarse1 = "p1_prev_coarse_value"
  case previousCoarse2 = "p2_prev_coarse_value"
  case lock0 = "p0_window_lock"
  case lock1 = "p1_window_lock"
  case lock2 = "p2_window_lock"
  case revenue0 = "p0_total_iap_revenue"
  case revenue1 = "p1_total_iap_revenue"
  case revenue2 = "p2_total_iap_revenue"
  case adRevenue0 = "p0_total_admon_revenue"
  case adRevenue1 = "p1_total_admon_revenue"
  case adRevenue2 = "p2_total_admon_revenue"

  /// The coarse values, by window.
  static let coarse: [MetadataField] = [.coarse0, .coarse1, .coarse2]
  /// The coarse values before the latest ones, by window.
  static let previousCoarse: [MetadataField] = [.previousCoarse0, .previousCoarse1, .previousCoarse2]
  /// The times of the locks, by window.
  static let locks: [MetadataField] = [.lock0, .lock1, .lock2]
  /// The revenue of in-app purchases, by window.
  static let revenues: [MetadataField] = [.revenue0, .revenue1, .revenue2]
  /// The revenue of ads, by window.
  static let adRevenues: [MetadataField] = [.adRevenue0, .adRevenue1, .adRevenue2]

  /// The name for SKAdNetwork 4.
  package var name: String { rawValue }

  package func hash(into hasher: inout Hasher) { hasher.combine(case: self) }

  /// The names in the three vocabularies for SKAdNetwork 3: of the API, of the storage, and of the metadata.
  static let legacyNames: [String: MetadataField] = [
    "conversion_value": .currentValue,
    "skan_conversion_value": .currentValue,
    "first_call_to_skadnetwork_timestamp": .firstCall,
    "last_call_to_skadnetwork_timestamp": .lastCall,
    "skan_first_call_timestamp": .firstCall,
    "skan_last_call_timestamp": .lastCall,
    "total_revenue_by_currency": .revenue,
  ]

  /// The translated names in published guides, which no client sends on purpose.
  static let translatedNames: [String: MetadataField] = [
    "SKAN_총_구매_통화별": .revenue,
    "SKAN_총_애드몬_구매_통화별": .adRevenue,
    "P0_총_애드몬_구매": .adRevenue0,
    "P1_총_애드몬_구매": .adRevenue1,
    "P2_총_애드몬_구매": .adRevenue2,
  ]

  /// Names that this system accepts besides those of the guides.
  private static let ownNames: [String: MetadataField] = ["event": .event, "device_id": .device]

  /// The spelling of a name in a row.
  enum Spelling: Equatable {
    /// A name for SKAdNetwork 4.
    case exact
    /// A name for SKAdNetwork 3.
    case legacy
    /// A known name in other letter case.
    case otherCase
    /// A translated name.
    case translated
  }

  /// Returns the field with a name, and the spelling of the name; nil if there is none.
  static func named(_ name: String) -> (field: MetadataField, spelling: Spelling)? {
    if let found = byName[name] { return found }
    guard let found = byFoldedName[name.lowercased()] else { return nil }
    return (found.field, found.spelling == .translated ? .translated : .otherCase)
  }

  /// Indicates that a name looks like one of the metadata, although it is not known.
  static func isLikeMetadata(_ name: String) -> Bool {
    let folded = name.lowercased()
    return ["skan_", "p0_", "p1_", "p2_", "prev_"].contains(where: folded.hasPrefix)
  }

  private static let byName: [String: (field: MetadataField, spelling: Spelling)] = {
    var names: [String: (field: MetadataField, spelling: Spelling)] = [:]
    for field in allCases { names[field.name] = (field, .exact) }
    for (name, field) in ownNames { names[name] = (field, .exact) }
    for (name, field) in legacyNames { names[name] = (field, .legacy) }
    for (name, field) in translatedNames { names[name] = (field, .translated) }
    return names
  }()

  private static let byFoldedName: [String: (field: MetadataField, spelling: Spelling)] = {
    Dictionary(byName.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
  }()
}
