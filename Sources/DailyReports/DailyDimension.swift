package import Tables

/// A property of postbacks by which the daily tables can be grouped.
package enum DailyDimension: Int, CaseIterable, Sendable {
  case appID, networkName, campaignID, adgroupID, creativeID, sourceAppID, country, framework, version, environment
  case channel, forwarder, trustLevel, modelID, modelVersion, conversionType, fidelityType, adInteractionType
  case marketplaceIdentifier, sourceIdentifier, sourceDomain, redownload

  /// The dimensions that are grouped by unless others are given.
  package static let usual: Set<DailyDimension> = [.appID, .networkName, .campaignID, .country]

  /// The place of the dimension in the order of the columns, from 0.
  package var place: Int { rawValue }

  /// The column that has the value, whose name is also that of the dimension.
  package var column: ColumnName { Self.columns[place] }

  private static let columns: [ColumnName] = [
    .appID, .networkName, .campaignID, .adgroupID, .creativeID, .sourceAppID, .country, .framework, .version,
    .environment, .channel, .forwarder, .trustLevel, .modelID, .modelVersion, .conversionType, .fidelityType,
    .adInteractionType, .marketplaceIdentifier, .sourceIdentifier, .sourceDomain, .redownload,
  ]

  /// The dimension with the name of a column; nil if there is none.
  package init?(_ name: String) {
    guard let place = Self.columns.firstIndex(where: { $0.rawValue == name }) else { return nil }
    self.init(rawValue: place)
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
    allCases.filter(dimensions.contains).map(\.column.rawValue).joined(separator: ";")
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
