internal import Answers
internal import Base
internal import CampaignEnrichment
internal import LookupTables
internal import Reporting

/// The summary of an enrichment as text.
struct EnrichAnswer {
  let enrichment: Enrichment
  /// The digest of the lookup tables in hexadecimal digits.
  let digest: String

  /// Tables, each with a title, and the findings that need attention.
  var text: String {
    let summary = enrichment.summary
    var parts = ["postbacks by ad network and by the certainty of their campaign", networks.text(indent: 2)]
    let unmapped = summary.names.filter { summary.networks[$0]?.status == .unmapped }
    if !unmapped.isEmpty {
      let names = unmapped.prefix(10).joined(separator: ", ")
      parts.append("networks without a name in networks.csv: \(names)".withControlCharactersEscaped)
    }
    let checked = summary.names.filter { summary.networks[$0]?.twoDigits ?? 0 > 0 }
    if !checked.isEmpty {
      parts += ["source identifiers of two digits that are the end, or the beginning, of a campaign's key"]
      parts.append(digits(checked).text(indent: 2))
    }
    var counts = TextTable(numbersIn: [1])
    counts.add("rows with a campaign of a forwarder", "\(summary.inline)")
    counts.add("rows in which a forwarder contradicts the lookup tables", "\(summary.total.conflicts)")
    if summary.tests > 0 { counts.add("rows that a forwarder marks as tests", "\(summary.tests)") }
    if summary.wrongTimes > 0 {
      counts.add("rows with a time of forwarding that cannot be right", "\(summary.wrongTimes)")
    }
    return (parts + [counts.text(), "lookup tables \(digest)"]).joined(separator: "\n\n")
  }

  private var networks: TextTable {
    var table = TextTable(
      ["network", "rows"] + EnrichStatus.allCases.map { $0.rawValue.replacing("_", with: " ") } + ["conflicts"],
      numbersIn: Set(1...EnrichStatus.allCases.count + 2)
    )
    let summary = enrichment.summary
    for (name, network) in summary.names.map({ ($0, summary.networks[$0]) }) + [("all", summary.total)] {
      guard let network else { continue }
      let shares = EnrichStatus.allCases.map { "\(Share(network.rows[$0] ?? 0, of: network.total))" }
      table.add([name, "\(network.total)"] + shares + ["\(network.conflicts)"])
    }
    return table
  }

  private func digits(_ names: [String]) -> TextTable {
    var table = TextTable(["network", "rows", "end", "beginning"], numbersIn: [1, 2, 3])
    for name in names {
      guard let network = enrichment.summary.networks[name] else { continue }
      table.add(
        name,
        "\(network.twoDigits)",
        "\(Share(network.trailing, of: network.twoDigits))",
        "\(Share(network.leading, of: network.twoDigits))"
      )
    }
    return table
  }
}
