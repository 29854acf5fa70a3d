/// The columns of `apps`.
enum AppColumn: String, LookupColumn {
  case appID = "app_id"
  case appName = "app_name"
  case bundleID = "bundle_id"
  case directCopiesSince = "direct_copies_since"

  static let required = [appID, appName]
}

/// An advertised app, as `apps` describes it.
package struct AdvertisedApp: Sendable, Hashable {
  /// The name in reports.
  package let name: String
  /// The bundle identifier.
  package let bundleID: String?
  /// The time from which devices send copies of the app's postbacks, in milliseconds since 1970; nil if they do not.
  package let directCopiesSince: Int64?
}

/// The advertised apps of `apps`, by id.
package struct AppNames: Sendable {
  private var apps: [Int64: (app: AdvertisedApp, line: Int)] = [:]

  /// The number of apps.
  package var count: Int { apps.count }

  /// The number of apps whose devices send copies of postbacks.
  package var directCount: Int { apps.values.count { $0.app.directCopiesSince != nil } }

  /// The app with an id; nil if the table has none.
  package subscript(id: Int64) -> AdvertisedApp? { apps[id]?.app }

  /// Reads `apps`.
  mutating func read(_ file: LookupFile, _ findings: inout LookupFindings) {
    file.read(AppColumn.self, &findings) { row, findings in
      let id = row.required(.appID, &findings) == nil ? nil : row.integer(.appID, in: 1...Int64.max, &findings)
      let name = row.required(.appName, &findings)
      let since = row.date(.directCopiesSince, &findings)
      guard let id, let name, !row.isWrong else { return }
      let app = AdvertisedApp(name: name, bundleID: row.cells[.bundleID], directCopiesSince: since)
      row.insert(app, id, .appID, into: &apps, &findings)
    }
  }
}

/// The columns of `source_apps`.
enum SourceAppColumn: String, LookupColumn {
  case sourceAppID = "source_app_id"
  case sourceDomain = "source_domain"
  case sourceAppName = "source_app_name"
  case category

  static let required = [sourceAppName]
}

/// An app or a website that shows ads, as `source_apps` describes it.
package struct SourceApp: Sendable, Hashable {
  /// The name in reports.
  package let name: String
  package let category: String?
}

/// The apps and websites of `source_apps` that show ads, by app id and by domain.
package struct SourceAppNames: Sendable {
  private var apps: [Int64: (app: SourceApp, line: Int)] = [:]
  private var sites: [String: (app: SourceApp, line: Int)] = [:]

  /// The number of apps and websites.
  package var count: Int { apps.count + sites.count }

  /// The app with an id; nil if the table has none.
  package subscript(id: Int64) -> SourceApp? { apps[id]?.app }

  /// The website with a domain, in any letter case; nil if the table has none.
  package subscript(domain domain: String) -> SourceApp? { sites[domain.lowercased()]?.app }

  /// Reads `source_apps`.
  mutating func read(_ file: LookupFile, _ findings: inout LookupFindings) {
    file.read(SourceAppColumn.self, &findings) { row, findings in
      let id = row.integer(.sourceAppID, in: 1...Int64.max, &findings)
      let domain = row.cells[.sourceDomain]
      let name = row.required(.sourceAppName, &findings)
      if (row.cells[.sourceAppID] == nil) == (domain == nil) {
        row.note(.sourceAppID, "The row must have either a source_app_id or a source_domain.", &findings)
      }
      guard let name, !row.isWrong else { return }
      let app = SourceApp(name: name, category: row.cells[.category])
      if let id { row.insert(app, id, .sourceAppID, into: &apps, &findings) }
      if let domain { row.insert(app, domain.lowercased(), .sourceDomain, into: &sites, &findings) }
    }
  }
}

extension LookupRow {
  /// Inserts the value of the row under its key, which must not have another value.
  fileprivate mutating func insert<Key: Hashable, Value: Hashable>(
    _ value: Value,
    _ key: Key,
    _ column: Column,
    into values: inout [Key: (app: Value, line: Int)],
    _ findings: inout LookupFindings
  ) {
    guard let other = values[key] else {
      values[key] = (value, line)
      return
    }
    if other.app == value {
      warn(nil, "The row is the same as that of line \(other.line). Remove one.", &findings)
    } else {
      note(column, "Line \(other.line) has the same key with other values. Remove one of both.", &findings)
    }
  }
}
