/// The findings about one device: for each rule the worst severity, the number of findings, and the first
/// of them by row.
struct DeviceFindings {
  /// The findings of one rule.
  struct Finding {
    var severity: FindingSeverity
    /// The number of findings.
    var count: Int
    /// The rows of the first few.
    var rows: [Row]
  }

  /// A row with findings of one rule: its event, its input and its line, and the values.
  struct Row {
    let event: String?
    let file: UInt32
    let line: UInt32
    var values: [String]
  }

  /// The rules that were broken under a version of the app, and the number of rows under it.
  struct Version {
    let name: String
    var rows = 0
    var rules: [ImplementationRule: FindingSeverity] = [:]
  }

  private(set) var byRule: [ImplementationRule: Finding] = [:]
  private(set) var versions: [Version] = []
  /// The place of the version of the current row in `versions`.
  private var version = 0

  private static let mostValues = 3
  private static let mostVersions = 64

  /// Begins a row under a version of the app.
  mutating func beginRow(_ name: String) {
    if let place = versions.firstIndex(where: { $0.name == name }) {
      version = place
    } else if versions.count < Self.mostVersions {
      version = versions.count
      versions.append(Version(name: name))
    }
    versions[version].rows += 1
  }

  /// Adds a finding about the current row.
  mutating func add(
    _ rule: ImplementationRule,
    _ severity: FindingSeverity? = nil,
    _ row: (event: String?, file: UInt32, line: UInt32),
    _ values: String
  ) {
    let severity = severity ?? rule.severity
    versions[version].rules[rule] = max(versions[version].rules[rule] ?? severity, severity)
    var finding = byRule[rule] ?? Finding(severity: severity, count: 0, rows: [])
    finding.count += 1
    finding.severity = max(finding.severity, severity)
    if finding.count <= Self.mostValues {
      if let last = finding.rows.last, (last.file, last.line) == (row.file, row.line) {
        finding.rows[finding.rows.count - 1].values.append(values)
      } else {
        finding.rows.append(Row(event: row.event, file: row.file, line: row.line, values: [values]))
      }
    }
    byRule[rule] = finding
  }
}
