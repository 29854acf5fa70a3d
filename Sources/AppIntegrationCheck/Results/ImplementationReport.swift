/// The findings about the sessions and events of an app.
package struct ImplementationReport: Sendable {
  /// The findings of one rule about all devices.
  package struct Finding: Sendable {
    package let rule: ImplementationRule
    package internal(set) var severity: FindingSeverity
    /// The number of devices with a finding.
    package internal(set) var devices = 0
    /// The number of findings.
    package internal(set) var rows = 0
    /// The first findings of the first devices, one for each row.
    package internal(set) var examples: [Example] = []
  }

  /// The findings of one rule about one row of a device.
  package struct Example: Sendable {
    /// The device's id as SHA-256, unless ids are shown.
    package let device: String
    /// The event, the input and the line of the row; nil if the findings are about no single row.
    package let event: String?
    package let file: String?
    package let line: Int?
    /// The values of the findings.
    package let values: [String]
    /// The number of findings about the device.
    package let rows: Int
  }

  /// The judgement of a version of the app.
  package struct Version: Sendable {
    /// The version; empty if rows do not have one.
    package let name: String
    package internal(set) var devices = 0
    package internal(set) var rows = 0
    /// The number of devices with a finding of severity `fail`.
    package internal(set) var failing = 0
    /// The number of other devices with a finding of severity `warn`.
    package internal(set) var warned = 0
    /// The number of other devices whose values differ from the model's, until it is known whether so many fail.
    fileprivate var onlyModel = 0

    /// `fail` if a device has a finding of this severity; `warn` likewise; otherwise `pass`.
    package var verdict: String { failing > 0 ? "fail" : warned > 0 ? "warn" : "pass" }
  }

  /// A row that could not be checked.
  package struct BadRow: Sendable {
    package let file: String
    package let line: Int
    package let reason: String
  }

  /// The number of rows, with those that could not be checked.
  package internal(set) var rows = 0
  /// The number of rows that could not be checked, and the first of them.
  package internal(set) var badRowCount = 0
  package internal(set) var badRows: [BadRow] = []
  package internal(set) var devices = 0
  /// The number of checked rows that no model is for; nil without models.
  package internal(set) var rowsWithoutModel: Int?
  /// The findings, in the order of the rules.
  package internal(set) var findings: [Finding] = []
  /// The versions of the app, those with the most devices first.
  package internal(set) var versions: [Version] = []
  /// The comparisons with postbacks; nil if no postbacks were given.
  package internal(set) var comparisons: [PostbackComparison]?

  /// The share of devices above which values that differ from the model's fail.
  static let largestModelShare = 0.05

  /// Returns the share of all devices.
  package func share(_ count: Int) -> Double { devices == 0 ? 0 : Double(count) / Double(devices) }
}

/// A collector of the findings about devices, in bounded memory.
struct FindingCollector {
  private var findings: [ImplementationRule: ImplementationReport.Finding] = [:]
  private var versions: [String: ImplementationReport.Version] = [:]
  private let files: [String]
  private let exampleLimit: Int
  private(set) var devices = 0

  private static let mostVersions = 1000
  private static let otherVersions = "(other versions)"

  init(files: [String], exampleLimit: Int) { (self.files, self.exampleLimit) = (files, exampleLimit) }

  mutating func add(_ device: String, _ found: DeviceFindings) {
    devices += 1
    for (rule, finding) in found.byRule {
      var sum = findings[rule] ?? ImplementationReport.Finding(rule: rule, severity: finding.severity)
      sum.severity = max(sum.severity, finding.severity)
      sum.devices += 1
      sum.rows += finding.count
      if sum.devices <= exampleLimit {
        sum.examples += finding.rows.map { row in
          ImplementationReport.Example(
            device: device,
            event: row.event,
            file: files.indices.contains(Int(row.file)) ? files[Int(row.file)] : nil,
            line: Int(row.line),
            values: row.values,
            rows: finding.count
          )
        }
      }
      findings[rule] = sum
    }
    for version in found.versions { add(version) }
  }

  private mutating func add(_ found: DeviceFindings.Version) {
    let isKept = versions[found.name] != nil || versions.count < Self.mostVersions
    let name = isKept ? found.name : Self.otherVersions
    var version = versions[name] ?? ImplementationReport.Version(name: name)
    version.devices += 1
    version.rows += found.rows
    switch found.rules.values.max() {
    case .fail: version.failing += 1
    case .warn where found.rules[.valueAgainstModel] != nil: version.onlyModel += 1
    case .warn: version.warned += 1
    case .info, nil: break
    }
    versions[name] = version
  }

  func finish(_ report: inout ImplementationReport) {
    report.devices = devices
    let modelDevices = findings[.valueAgainstModel]?.devices ?? 0
    let failsModel = report.share(modelDevices) > ImplementationReport.largestModelShare
    report.findings = ImplementationRule.allCases.compactMap { rule in
      guard var finding = findings[rule] else { return nil }
      if rule == .valueAgainstModel, failsModel { finding.severity = .fail }
      return finding
    }
    report.versions = versions.values.map { version in
      var version = version
      if failsModel { version.failing += version.onlyModel } else { version.warned += version.onlyModel }
      return version
    }
    .sorted { ($1.devices, $0.name) < ($0.devices, $1.name) }
  }
}
