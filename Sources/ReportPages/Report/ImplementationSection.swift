internal import JSON
internal import PageMarkup

/// The findings about an app's implementation, as `validate-implementation --json` printed them.
package struct ImplementationSection: Sendable {
  private let versions: [JSONValue]
  private let findings: [JSONValue]
  private let devices: Int

  /// Reads an answer; nil if the text is another one.
  package init?(parsing text: [UInt8]) {
    guard let answer = try? JSONValue(parsing: text), case .array(let versions)? = answer["app_versions"],
      case .array(let findings)? = answer["findings"], let devices = answer["devices"]?.integer
    else { return nil }
    (self.versions, self.findings, self.devices) = (versions, findings, Int(clamping: devices))
  }

  var html: HTML {
    let verdicts = HTML.longTable(
      "Versions of the app",
      ["app version", "verdict", "devices", "failing", "with warnings"],
      versions
    ) { version, table in
      table.add(
        version["app_version"]?.text ?? "",
        .text(version["verdict"]?.text ?? ""),
        .number(version.count("devices")),
        .number(version.count("failing_devices")),
        .number(version.count("warned_devices"))
      )
    }
    guard !findings.isEmpty else { return "\(verdicts)<p class=\"note\">No rule is broken.</p>" }
    let rules = HTML.longTable(
      "Rules that devices break",
      ["rule", "severity", "devices", "share", "findings", "advice"],
      findings
    ) { finding, table in
      table.add(
        finding["rule"]?.text ?? "",
        .text(finding["severity"]?.text ?? ""),
        .number(finding.count("devices")),
        .share(finding.count("devices"), of: devices),
        .number(finding.count("rows")),
        .text(finding["advice"]?.text ?? "")
      )
    }
    return "\(verdicts)\(rules)"
  }
}

extension JSONValue {
  fileprivate func count(_ key: String) -> Int { Int(clamping: self[key]?.integer ?? 0) }
}
