package import ConversionModel
internal import CopySettlement
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Tables

/// The change of the decoded revenue of an output by the settlement of all copies.
package struct SettledRevenue: Sendable {
  /// The number of postbacks whose value means something else, by currency; nil stands for those without revenue.
  package private(set) var rows: [String?: Int] = [:]
  /// The revenue of these postbacks by currency: of the copies that were accepted first, and of those that count.
  package private(set) var amounts: [String: (before: Amount, after: Amount)] = [:]

  /// Reads the summary of `skan_settled` in an output; nil if it does not have one.
  package init?(in output: String) throws(FileFailure) {
    guard let summary = try DerivedTable.summary(of: .settled, in: output),
      case .array(let changes)? = summary["changes"]
    else { return nil }
    for change in changes {
      let currency = change["currency"]?.text
      rows[currency, default: 0] += Int(change["rows"]?.integer ?? 0)
      guard let currency else { continue }
      func amount(_ key: String) -> Amount { change[key]?.amount ?? .zero }
      let known = amounts[currency] ?? (.zero, .zero)
      amounts[currency] = (known.before + amount("revenue_before"), known.after + amount("revenue_after"))
    }
  }
}
