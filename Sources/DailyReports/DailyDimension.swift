package import Tables

/// A property of postbacks by which the daily tables can be grouped.
package enum DailyDimension: String, CaseIterable, Sendable {
  case appID = "app_id"
  case networkName = "network_name"
  case campaignID = "campaign_id"
  case adgroupID = "adgroup_id"
  case creativeID = "creative_id"
  case sourceAppID = "source_app_id"
  case country
  case framework
  case version
  case environment
  case channel
  case forwarder
  case trustLevel = "trust_level"
  case modelID = "model_id"
  case modelVersion = "model_version"
  case conversionType = "conversion_type"
  case fidelityType = "fidelity_type"
  case adInteractionType = "ad_interaction_type"
  case marketplaceIdentifier = "marketplace_identifier"
  case sourceIdentifier = "source_identifier"
  case sourceDomain = "source_domain"
  case redownload

  /// The dimensions that are grouped by unless others are given.
  package static let usual: Set<DailyDimension> = [.appID, .networkName, .campaignID, .country]

  /// The place of the dimension in the order of the columns, from 0.
  package var place: Int {
    switch self {
    case .appID: 0
    case .networkName: 1
    case .campaignID: 2
    case .adgroupID: 3
    case .creativeID: 4
    case .sourceAppID: 5
    case .country: 6
    case .framework: 7
    case .version: 8
    case .environment: 9
    case .channel: 10
    case .forwarder: 11
    case .trustLevel: 12
    case .modelID: 13
    case .modelVersion: 14
    case .conversionType: 15
    case .fidelityType: 16
    case .adInteractionType: 17
    case .marketplaceIdentifier: 18
    case .sourceIdentifier: 19
    case .sourceDomain: 20
    case .redownload: 21
    }
  }

  /// The column that has the value.
  package var column: ColumnName { Self.columns[place] }

  private static let columns = allCases.map { dimension in
    guard let column = ColumnName(rawValue: dimension.rawValue) else {
      preconditionFailure("\(dimension.rawValue) is no column")
    }
    return column
  }

  /// The name that is carried along with the dimension; nil if it has none.
  package var name: DailyName? { Self.names[place] }

  private static let names = allCases.map { dimension in DailyName.allCases.first { $0.dimension == dimension } }

  /// Indicates that the values are integers.
  package var isNumber: Bool {
    switch self {
    case .appID, .sourceAppID, .trustLevel, .modelVersion, .fidelityType: true
    default: false
    }
  }

  /// The text of the column `dimensions` for a grouping: the names in the order of the columns.
  package static func text(_ dimensions: Set<DailyDimension>) -> String {
    allCases.filter(dimensions.contains).map(\.rawValue).joined(separator: ";")
  }
}

/// A name that the daily tables carry along with a dimension, without being grouped by it.
package enum DailyName: Int, CaseIterable, Sendable {
  case app, networkStatus, campaign, adgroup, creative, sourceApp

  /// The dimension without which there is no name.
  package var dimension: DailyDimension {
    switch self {
    case .app: .appID
    case .networkStatus: .networkName
    case .campaign: .campaignID
    case .adgroup: .adgroupID
    case .creative: .creativeID
    case .sourceApp: .sourceAppID
    }
  }

  /// The column that has the name.
  package var column: ColumnName {
    switch self {
    case .app: .appName
    case .networkStatus: .networkStatus
    case .campaign: .campaignName
    case .adgroup: .adgroupName
    case .creative: .creativeName
    case .sourceApp: .sourceAppName
    }
  }
}
