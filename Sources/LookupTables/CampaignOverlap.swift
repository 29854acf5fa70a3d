extension Campaigns {
  /// Removes rows that repeat others, with a warning. Notes rows with the same key and conditions that have other values
  /// for a part of the same time, unless `allowed`.
  mutating func checkOverlaps(in file: String, allowed: Bool, _ findings: inout LookupFindings) {
    var order = rows.indices.map { (start: rows[$0].validity.from, index: $0) }
    order.sort { ($0.start, $0.index) < ($1.start, $1.index) }
    /// The rows of each key that end last, and all rows that begin together with them.
    var latest: [CampaignRow.Key: Int] = [:]
    var same: [RowContent: Int] = [:]
    var repeated: Set<Int> = []
    for (_, index) in order {
      let row = rows[index]
      let content = RowContent(key: row.key, validity: row.validity, values: row.values)
      if let first = same[content] {
        repeated.insert(index)
        let reason = "The row is the same as that of line \(rows[first].line). Remove one."
        findings.warn(LookupProblem(file: file, line: row.line, column: nil, reason: reason))
        continue
      }
      same[content] = index
      guard let last = latest[row.key] else {
        latest[row.key] = index
        continue
      }
      let other = rows[last]
      if !allowed, other.validity.overlaps(row.validity), other.values != row.values {
        let (first, second) = (min(other.line, row.line), max(other.line, row.line))
        let reason = """
          Line \(first) has the same key and conditions with other values for a part of the same time. End one row \
          before the other begins, or give --allow-overlap, which leaves out the values in which they differ.
          """
        let column = CampaignFileColumn.validFrom.rawValue
        findings.add(LookupProblem(file: file, line: second, column: column, reason: reason))
      }
      if row.validity.to > other.validity.to { latest[row.key] = index }
    }
    if !repeated.isEmpty { rows = rows.indices.filter { !repeated.contains($0) }.map { rows[$0] } }
  }

  /// The content of a row without its line.
  private struct RowContent: Hashable {
    let key: CampaignRow.Key
    let validity: Validity
    let values: CampaignRow.Values
  }
}
