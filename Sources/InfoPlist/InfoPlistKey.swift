/// The keys of an Info.plist that are about ad attribution.
enum InfoPlistKey: String, CaseIterable {
  case skAdNetworkItems = "SKAdNetworkItems"
  case skAdNetworkIdentifier = "SKAdNetworkIdentifier"
  case adNetworkIdentifiers = "AdNetworkIdentifiers"
  case skAdNetworkCopies = "NSAdvertisingAttributionReportEndpoint"
  case adAttributionKit = "AdAttributionKit"
  case adAttributionKitCopies = "AttributionCopyEndpoint"
  case reengagementCopies = "EligibleForAdAttributionKitReengagementPostbackCopies"
  case nestedReengagementCopies = "OptInForReengagementPostbackCopies"
  case overlappingConversions = "EligibleForAdAttributionKitOverlappingConversions"
  case configurations = "AdAttributionKitConfigurations"

  /// Returns the name that a key in small letters was meant for, if texts about Apple's keys write it so; nil for others.
  static func meant(by lower: String, among names: [String]) -> String? {
    let copies = adAttributionKitCopies.rawValue
    return lower == "postbackcopyurl" && names.contains(copies) ? copies : nil
  }
}
