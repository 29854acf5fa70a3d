internal import Base
package import AppIntegrationCheck

/// The report on an app's implementation as text.
package struct ImplementationAnswer {
  let report: ImplementationReport

  package init(report: ImplementationReport) { self.report = report }

  /// The verdicts, the findings with advice, and the comparison with postbacks.
  package var text: String {
    var parts = ["\(report.rows) rows of \(report.devices) devices, \(report.badRowCount) not checked"]
    if !report.versions.isEmpty { parts += ["versions of the app", versions.text(indent: 2)] }
    if report.findings.isEmpty {
      parts.append(report.rows > report.badRowCount ? "No rule is broken." : "No row was checked.")
    } else {
      parts += ["findings", findings.text(indent: 2)]
      for finding in report.findings { parts.append(details(finding)) }
    }
    if let comparisons = report.comparisons {
      if comparisons.isEmpty {
        parts.append("No app has both devices and postbacks to compare. Give --models with the app's bundle_id.")
      } else {
        parts += [
          "fine values of devices after 48 hours, compared with those of postbacks", table(comparisons).text(indent: 2),
        ]
      }
    }
    return parts.joined(separator: "\n\n")
  }

  private var versions: TextTable {
    var table = TextTable(
      ["app version", "verdict", "devices", "rows", "failing", "with warnings"],
      numbersIn: [2, 3, 4, 5]
    )
    for version in report.versions {
      table.add(
        version.name.isEmpty ? "(none)" : version.name,
        version.verdict,
        "\(version.devices)",
        "\(version.rows)",
        "\(version.failing)",
        "\(version.warned)"
      )
    }
    return table
  }

  private var findings: TextTable {
    var table = TextTable(["rule", "severity", "devices", "share", "findings"], numbersIn: [2, 3, 4])
    for finding in report.findings {
      table.add(
        finding.rule.rawValue,
        finding.severity.rawValue,
        "\(finding.devices)",
        "\(Share(finding.devices, of: report.devices))",
        "\(finding.rows)"
      )
    }
    return table
  }

  private func details(_ finding: ImplementationReport.Finding) -> String {
    let examples = finding.examples.flatMap { example -> [String] in
      let place = example.file.map { "line \(example.line ?? 0) of \($0), device \(example.device): " } ?? ""
      return example.values.map { "  \(place)\($0)".withControlCharactersEscaped }
    }
    return (["\(finding.rule.rawValue): \(finding.rule.advice)"] + examples).joined(separator: "\n")
  }

  private func table(_ comparisons: [PostbackComparison]) -> TextTable {
    var table = TextTable(
      ["bundle", "app", "devices", "postbacks", "without a value", "corrected p", "differs"],
      numbersIn: [2, 3, 4, 5]
    )
    for one in comparisons {
      table.add(
        one.bundleID,
        "\(one.appID)",
        "\(one.devices)",
        "\(one.postbacks)",
        "\(one.postbacksWithoutValue)",
        one.correctedPValue.map { "\(($0 * 10_000).rounded() / 10_000)" } ?? "",
        one.test == nil ? "too few" : one.differs ? (one.mayBeTiers ? "yes, tiers may explain it" : "yes") : "no"
      )
    }
    return table
  }
}
