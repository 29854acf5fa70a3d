internal import JSON

/// A few words on the result of a step, from its summary.
enum RefreshNote {
  static func text(of step: String, _ summary: JSONValue?) -> String {
    func number(_ key: String, of value: JSONValue?) -> Int64 { value?[key]?.integer ?? 0 }
    switch step {
    case "run":
      return "\(number("read", of: summary)) read, \(number("accepted", of: summary)) accepted, "
        + "\(number("rejected", of: summary)) rejected"
    case "load":
      let tables = summary?["tables"]?.elements ?? []
      return "\(tables.reduce(0) { $0 + number("loaded", of: $1) }) rows loaded"
    case "deliver":
      let partners = summary?["partners"]?.elements ?? []
      let failed = partners.reduce(0) { $0 + number("failed", of: $1) }
      let note = "\(partners.reduce(0) { $0 + number("pending", of: $1) }) pending"
      return failed > 0 ? "\(note), \(failed) failed so far" : note
    default: return ""
    }
  }
}
