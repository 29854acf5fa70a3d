internal import Ledger
internal import Tables

/// The options that overrule the doubts about a removal.
struct RemovalOptions: OptionGroup {
  let removesAll = Option("--yes-remove-all", "Remove what is too old even if it is more than 20 % of all.").isGiven
  let trustsClock = Option("--trust-clock", "Believe the clock, though it has jumped: you have looked at it.").isGiven

  static let withoutWaiting = Option(
    "--without-waiting",
    "Remove old rows also if a follower has not read them, such as load postgres or deliver."
  )
}

extension ValueKind<[String]> {
  /// The names of some tables, joined by commas; in the order of the tables.
  static func tables(among tables: [Table]) -> Self {
    let all = tables.map(\.name)
    return Self("a list of \(all.joined(separator: ", "))") { text in
      let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return names.allSatisfy(all.contains) ? all.filter(names.contains) : nil
    }
  }
}

extension CommandFailure {
  /// The failure of a command that removed nothing.
  init(_ refusal: RemovalRefusal) { self.init(.different, "\(refusal).") }
}
