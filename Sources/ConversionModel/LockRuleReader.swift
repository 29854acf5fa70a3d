internal import JSON

extension ModelReader {
  /// Reads `lock_window`: true, false, or an object with the condition; absent means false. Notes what is wrong; a
  /// value that cannot be read gives `never`.
  mutating func lockRule(_ node: JSONNode, index: Int64?) -> LockRule {
    if case .bool(let isLocked) = node.value { return isLocked ? .highestValue : .never }
    guard node.value != nil else { return .never }
    let keys = ["fine_value", "coarse_value", "event"]
    guard let members = node.members, let (key, value) = members.first, members.count == 1, keys.contains(key) else {
      note(node, mustBe: "true, false, or an object with one of \(keys.joined(separator: ", "))")
      return .never
    }
    switch key {
    case "fine_value":
      if let index, index > 0 { note(value, "must not be there: only window 0 has fine values; use coarse_value") }
      return integer(value, in: 0...63).map { .fineValue(Int($0)) } ?? .never
    case "coarse_value": return word(value, CoarseValue.self).map { .coarseValue($0) } ?? .never
    default: return text(value).map { .event($0) } ?? .never
    }
  }
}
