internal import JSON

extension JSONValue {
  private static let amountWords = ["revenue", "currency", "amount", "price", "cost", "roas", "ecpi"]

  /// The value without members that are amounts or follow from them, and without deliveries, whose content is that of partners.
  var withoutRevenue: JSONValue {
    switch self {
    case .object(let members):
      let kept = members.filter { member in
        member.key != "deliveries" && !Self.amountWords.contains { member.key.lowercased().contains($0) }
      }
      return .object(kept.map { .init($0.key, $0.value.withoutRevenue) })
    case .array(let elements): return .array(elements.map(\.withoutRevenue))
    default: return self
    }
  }
}
