internal import Analysis
package import JSON
internal import PageMarkup

/// A section of the report's page.
struct PageSection {
  /// The id of its heading.
  let id: String
  /// The name in the list of sections.
  let name: String
  /// The heading.
  let title: String
  /// Indicates that amounts of money are shown, or conclusions from them.
  let hasAmounts: Bool
  let content: HTML

  init(_ id: String, _ name: String, title: String? = nil, hasAmounts: Bool = false, _ content: HTML) {
    (self.id, self.name, self.title, self.hasAmounts, self.content) = (id, name, title ?? name, hasAmounts, content)
  }

  /// The section with its heading.
  var html: HTML { "<h2 id=\"\(id)\">\(title)</h2>\n\(content)\n" }
}

extension ReportPage {
  /// Returns the sections of the page as members of an object, for a page that is made elsewhere: `header`, `filters` and `sections` with
  /// their markup, and the data of the scripts. Without `seesRevenue` no section with amounts is among them, and no amount in the data.
  package func parts(seesRevenue: Bool) -> [JSONValue.Member] {
    let findings = PageSection("findings", "Findings", hasAmounts: true, findingsSection)
    let markup =
      [(findings, findings.content)]
      + sections.map { section -> (PageSection, HTML) in
        (section, section.html)
      }
    let shown = markup.filter { seesRevenue || !$0.0.hasAmounts }.map { section, html -> JSONValue in
      .object([
        .init("id", .string(section.id)), .init("name", .string(section.name)), .init("html", .string(html.markup)),
      ])
    }
    let cube = CubeData(cube: report.cube).json
    return [
      .init("header", .string(header.markup)),
      .init("filters", .string(filters.markup)),
      .init("sections", .array(shown)),
      .init("cube", seesRevenue ? cube : cube.without(["classes", "revenue"])),
      .init("business", seesRevenue ? business?.data ?? .null : .null),
      .init("data", data),
    ]
  }

  /// The markup of the findings, which may name amounts.
  package var findingsMarkup: String { findingsSection.markup }
}

extension JSONValue {
  /// The object with null in place of some members.
  fileprivate func without(_ keys: Set<String>) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.map { keys.contains($0.key) ? .init($0.key, .null) : $0 })
  }
}
