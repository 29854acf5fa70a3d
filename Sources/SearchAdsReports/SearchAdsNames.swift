internal import JSON
package import LookupTables
internal import SearchAds
internal import Tables

/// The columns of `asa_campaigns`.
private enum SearchAdsNameColumn: String, LookupColumn {
  case level
  case id
  case name

  static let required = [level, id, name]
}

/// The names of Apple Search Ads' campaigns and of what they consist of, by level and id.
package struct SearchAdsNames: Sendable {
  /// A level of the account.
  enum Level: String, CaseIterable, Sendable {
    case org
    case campaign
    case adGroup = "ad_group"
    case keyword
    case ad
    case creativeSet = "creative_set"

    /// The columns of the id and of the name.
    var columns: (id: ColumnName, name: ColumnName) {
      switch self {
      case .org: (.orgID, .orgName)
      case .campaign: (.campaignID, .campaignName)
      case .adGroup: (.adGroupID, .adGroupName)
      case .keyword: (.keywordID, .keyword)
      case .ad: (.adID, .adName)
      case .creativeSet: (.creativeSetID, .creativeSetName)
      }
    }
  }

  private var names: [Level: [Int64: String]] = [:]
  /// The remarks on the file.
  package private(set) var warnings: [LookupProblem] = []

  package init() {}

  /// Reads the names from a CSV or JSON file. Throws its problems, or the failure to read it.
  package init(at path: String) throws {
    var findings = LookupFindings()
    var names: [Level: [Int64: (name: String, line: Int)]] = [:]
    try LookupFile(at: path, dates: nil).read(SearchAdsNameColumn.self, &findings) { row, findings in
      let level = row.word(.level, Level.self, &findings)
      let id = row.integer(.id, in: 0...Int64.max, &findings)
      for column in SearchAdsNameColumn.required where row.cells[column] == nil { _ = row.required(column, &findings) }
      guard let level, let id, let name = row.cells[.name], !row.isWrong else { return }
      if let other = names[level]?[id], other.name != name {
        row.note(.id, "Line \(other.line) has another name for the same id. Remove one.", &findings)
      } else {
        names[level, default: [:]][id] = (name, row.line)
      }
    }
    self.names = names.mapValues { $0.mapValues(\.name) }
    warnings = findings.warnings
    try findings.throwIfAny()
  }

  /// Returns a row with the names that the file has in place of those of the payload.
  func named(_ row: AttributionRow) -> AttributionRow {
    guard !names.isEmpty else { return row }
    var row = row
    for level in Level.allCases {
      let columns = level.columns
      if let id = row.integer(columns.id), let name = names[level]?[id] { row[columns.name] = .string(name) }
    }
    return row
  }
}
