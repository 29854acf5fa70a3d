package import JSON
internal import Statistics

extension ImplementationReport {
  /// The report as JSON, as `schemas/implementation.schema.json` describes it.
  package var json: JSONValue {
    .object([
      .init("rows", .integer(rows)),
      .init("bad_rows", .integer(badRowCount)),
      .init(
        "first_bad_rows",
        .array(
          badRows.map {
            .object([
              .init("file", .string($0.file)), .init("line", .integer($0.line)), .init("reason", .string($0.reason)),
            ])
          }
        )
      ),
      .init("devices", .integer(devices)),
      .init("rows_without_model", .integer(rowsWithoutModel)),
      .init("findings", .array(findings.map(json))),
      .init(
        "app_versions",
        .array(
          versions.map { version in
            .object([
              .init("app_version", .string(version.name)),
              .init("verdict", .string(version.verdict)),
              .init("devices", .integer(version.devices)),
              .init("rows", .integer(version.rows)),
              .init("failing_devices", .integer(version.failing)),
              .init("warned_devices", .integer(version.warned)),
            ])
          }
        )
      ),
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
      .init(
        "examples",
        .array(
          finding.examples.map { example in
            .object([
              .init("device", .string(example.device)),
              .init("event", .text(example.event)),
              .init("file", .text(example.file)),
              .init("line", .integer(example.line)),
              .init("values", .texts(example.values)),
              .init("rows", .integer(example.rows)),
            ])
          }
        )
      ),
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
