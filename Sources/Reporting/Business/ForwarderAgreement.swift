package import ConversionModel
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Tables

/// The conversion values of a forwarder, compared with those of devices' own copies: the sums of the groups in the summary of
/// `skan_settled`.
package struct ForwarderAgreement: Sendable {
  /// The name of the forwarder; nil for copies without a name.
  package var forwarder: String?
  /// The number of postbacks that the forwarder handed on.
  package var forwarded = 0
  /// The number of those of which a device sent its own copy.
  package var both = 0
  /// The number of conversion values, fine or coarse, that were compared.
  package var compared = 0
  /// The number of those that are the same.
  package var agreeing = 0
  /// The number of those that differ, by the kind of the difference: `changed`, `dropped`, `added`, `zero_for_null`.
  package var differences: [String: Int] = [:]
  /// The worth of the forwarder's values, less that of the devices', by currency.
  package var effect: [String: Amount] = [:]

  /// The kinds of differences, in the order in which they are shown.
  package static let kinds = ["changed", "dropped", "added", "zero_for_null"]

  /// Reads the forwarders from an output, those with the most differences first; nil if the output does not have
  /// `skan_settled`.
  package static func read(in output: String) throws(FileFailure) -> [ForwarderAgreement]? {
    let path = "\(output)/skan_settled/\(DerivedTable.summaryName)"
    guard try DurableFolder("\(output)/skan_settled").byteCount(of: DerivedTable.summaryName) != nil else { return nil }
    guard let summary = try? JSONValue(parsing: try WholeFile.read(path, upTo: 1 << 28)) else {
      throw FileFailure(
        .incompatible,
        path,
        "The file is no summary of skan_settled",
        advice: "Run postback settle again"
      )
    }
    var forwarders: [String?: ForwarderAgreement] = [:]
    for group in summary["groups"]?.elements ?? [] {
      for party in group["forwarders"]?.elements ?? [] {
        let name = party["forwarder"]?.text
        forwarders[name, default: ForwarderAgreement(forwarder: name)].add(party)
      }
    }
    return forwarders.values.sorted { one, other in
      let (left, right) = (one.compared - one.agreeing, other.compared - other.agreeing)
      return (right, other.forwarded, one.forwarder ?? "") < (left, one.forwarded, other.forwarder ?? "")
    }
  }

  private mutating func add(_ party: JSONValue) {
    forwarded += Int(party["forwarded"]?.integer ?? 0)
    both += Int(party["both"]?.integer ?? 0)
    for field in ["conversion_value", "coarse_conversion_value"] {
      guard let counts = party["fields"]?[field] else { continue }
      compared += Int(counts["compared"]?.integer ?? 0)
      agreeing += Int(counts["agree"]?.integer ?? 0)
      for kind in Self.kinds { differences[kind, default: 0] += Int(counts[kind]?.integer ?? 0) }
    }
    guard case .object(let effects) = party["revenue_effect"] else { return }
    for member in effects {
      if let amount = member.value.amount { effect[member.key, default: .zero] += amount }
    }
  }
}
