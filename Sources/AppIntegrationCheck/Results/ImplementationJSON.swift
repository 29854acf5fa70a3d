package import JSON
internal import Statistics

extension ImplementationReport {
  /// The report as JSON, as `schemas/implementation.schema.json` describes it.
  package var json: JSONValue {
    .object([
      .init("rows", .integer(rows)),
      .init("bad_rows", .integer(badRowCount)),
      .init("first_bad_rows", .array(badRows.map(\.json))),
      .init("devices", .integer(devices)),
      .init("rows_without_model", .integer(rowsWithoutModel)),
      .init("findings", .array(findings.map(json))),
      .init("app_versions", .array(versions.map(\.json))),
      .init("postback_cross_check", comparisons.map { .array($0.map(\.json)) } ?? .null),
    ])
  }

  private func json(_ finding: Finding) -> JSONValue {
    .object([
      .init("rule", .string(finding.rule.rawValue)),
      .init("severity", .string(finding.severity.rawValue)),
      .init("devices", .integer(finding.devices)),
      .init("share", .decimal(share(finding.devices))),
      .init("rows", .integer(finding.rows)),
      .init("advice", .string(finding.rule.advice)),
      .init("examples", .array(finding.examples.map(\.json))),
    ])
  }
}

extension ImplementationReport.BadRow {
  fileprivate var json: JSONValue {
    .object([.init("file", .string(file)), .init("line", .integer(line)), .init("reason", .string(reason))])
  }
}

extension ImplementationReport.Version {
  fileprivate var json: JSONValue {
    .object([
      .init("app_version", .string(name)), .init("verdict", .string(verdict)), .init("devices", .integer(devices)),
      .init("rows", .integer(rows)), .init("failing_devices", .integer(failing)),
      .init("warned_devices", .integer(warned)),
    ])
  }
}

extension ImplementationReport.Example {
  fileprivate var json: JSONValue {
    .object([
      .init("device", .string(device)), .init("event", .text(event)), .init("file", .text(file)),
      .init("line", .integer(line)), .init("values", .texts(values)), .init("rows", .integer(rows)),
    ])
  }
}

extension PostbackComparison {
  fileprivate var json: JSONValue {
    .object([
      .init("bundle_id", .string(bundleID)),
      .init("app_id", .integer(appID)),
      .init("devices", .integer(devices)),
      .init("postbacks", .integer(postbacks)),
      .init("postbacks_without_value", .integer(postbacksWithoutValue)),
      .init("chi_square", .decimal(test?.statistic)),
      .init("degrees_of_freedom", .integer(test?.degreesOfFreedom)),
      .init("corrected_p_value", correctedPValue.map { .number("\($0)") } ?? .null),
      .init("differs", .bool(differs)),
      .init("tiers_may_explain", .bool(mayBeTiers)),
    ])
  }
}
