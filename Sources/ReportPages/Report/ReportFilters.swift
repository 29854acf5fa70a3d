internal import Analysis
internal import Answers
internal import PageMarkup

extension ReportPage {
  /// The controls of the filters, hidden without a script, and the note that says what they do.
  var filters: HTML {
    let selects = ReportLink.Dimension.allCases.map { dimension -> HTML in
      let name = dimension.rawValue
      return """
        <label>\(name.prefix(1).uppercased() + name.dropFirst()) <select id="filter-\(name)"><option value="">all</option></select></label>

        """
    }
    let others: HTML =
      report.cube.dimensions.hasOthers ? " Rare forwarders, networks and apps are together, as “others”." : ""
    let leftOut: HTML =
      report.cube.leftOut == 0
      ? "" : " \(Numbers.grouped(report.cube.leftOut)) records are in no choice: there are too many."
    return """
      <div class="controls filters" id="filters" role="search" aria-label="Filters" hidden>
      <label>From <input id="filter-from" type="date"></label>
      <label>To <input id="filter-to" type="date"></label>
      \(selects)<button type="button" id="filter-reset">Show all</button>
      <p id="filter-status" role="status" aria-live="polite"></p>
      <p class="note">Days are those of receipt, and in the section of installs, revenue and costs those of installs, in UTC. The choice is in the address of the page, which can be shared. The \
      findings and the signals are always about all records.\(others)\(leftOut)</p>
      </div>
      """
  }
}

extension ReportCube.Dimensions {
  fileprivate var hasOthers: Bool { [forwarders, networks, apps].contains { $0.last == .others } }
}
