internal import JSON

extension JSONValue {
  private static let amountWords = ["revenue", "currency", "amount", "price", "cost", "roas", "ecpi"]
  /// The members whose content is that of others.
  private static let foreign: Set<String> = ["deliveries", "extras"]

  /// The value without members that are amounts or follow from them, without deliveries, whose content is that of partners, and
  /// without the members that forwarders have added to postbacks under names of their own.
  var withoutRevenue: JSONValue {
    switch self {
    case .object(let members):
      let kept = members.filter { member in
        !Self.foreign.contains(member.key) && !Self.amountWords.contains { member.key.lowercased().contains($0) }
      }
      return .object(kept.map { .init($0.key, $0.value.withoutRevenue) })
    case .array(let elements): return .array(elements.map(\.withoutRevenue))
    default: return self
    }
  }
}
