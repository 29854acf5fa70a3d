internal import SKAdNetwork

/// The variants of a content, the most likely and cheapest first, made one by one.
struct Variants {
  let content: any SignedContent
  private let few: [[Change]]
  private let many: [[Change]]
  /// The changes of fields that have only two or three values.
  private let flips: [[Change]]
  private let hasCampaign: Bool
  private let hasSource: Bool

  /// Makes the variants of a content; `known` are values of its fields in the same data.
  init(of content: any SignedContent, known: [Field: [String]]) {
    self.content = content
    var few: [[Change]] = []
    var many: [[Change]] = []
    var flips: [[Change]] = []
    let isWritable = content.framework == .skAdNetwork
    for field in content.fields {
      let value = content.values[field]
      let alternatives = Alternatives(field, value, known: known[field] ?? [])
      // A JWS has no place for a field that is not there: `special` tries all.
      guard value != nil || isWritable else { continue }
      few += alternatives.few.map { [Change(field: field, value: $0)] }
      many += alternatives.many.map { [Change(field: field, value: $0)] }
      flips += Alternatives.few(field).filter { $0 != value }.map { [Change(field: field, value: $0)] }
      if field == .sourceAppID || field == .publisherItemIdentifier { flips.append([Change(field: field, value: nil)]) }
    }
    for group in content.special {
      // One of a hundred guesses is none to pair.
      if group.count <= Self.mostInPairs { few += group } else { many += group }
    }
    self.few = few
    self.many = many + Self.swaps(content)
    self.flips = flips
    hasCampaign = content.fields.contains(.campaignID)
    hasSource = content.fields.contains(.sourceIdentifier) && (isWritable || content.values[.sourceIdentifier] != nil)
  }

  private static let mostInPairs = 32

  /// Returns the changes that exchange the values of two fields of the same type.
  private static func swaps(_ content: any SignedContent) -> [[Change]] {
    var swaps: [[Change]] = []
    for (index, one) in content.fields.enumerated() {
      for other in content.fields[(index + 1)...] where one.type.hasForm(of: other.type) {
        guard let first = content.values[one], let second = content.values[other], first != second else { continue }
        swaps.append([Change(field: one, value: second), Change(field: other, value: first)])
      }
    }
    return swaps
  }

  /// Calls `body` with each variant until it throws.
  func forEach<Stop: Error>(_ body: (Variant) throws(Stop) -> Void) throws(Stop) {
    for form in content.forms.indices { try body(Variant(form: form)) }
    for form in content.forms.indices {
      for changes in few { try body(Variant(form: form, changes: changes)) }
    }
    let likely = 0..<content.likelyFormCount
    for form in likely {
      if hasCampaign { try sweep(.campaignID, with: [[]], form, body) }
      try pairs(few, few, form, body)
      for changes in many { try body(Variant(form: form, changes: changes)) }
    }
    for digits in sourceLengths {
      for form in likely { try sweep(.sourceIdentifier, digits: digits, with: [[]], form, body) }
    }
    for form in likely {
      if hasCampaign { try sweep(.campaignID, with: few, form, body) }
      if hasSource { try sweep(.sourceIdentifier, digits: 2, with: few, form, body) }
      try pairs(flips, many, form, body)
    }
    for digits in sourceLengths where digits > 2 {
      for form in likely { try sweep(.sourceIdentifier, digits: digits, with: flips, form, body) }
    }
  }

  /// The lengths of source identifiers, that of the arrived one first; none if it is not searched.
  private var sourceLengths: [Int] {
    guard hasSource else { return [] }
    let own = content.values[.sourceIdentifier]?.count ?? 0
    return [2, 3, 4].filter { $0 == own } + [2, 3, 4].filter { $0 != own }
  }

  /// Calls `body` with each pair of one change from each list that has no field in common.
  private func pairs<Stop: Error>(
    _ some: [[Change]],
    _ others: [[Change]],
    _ form: Int,
    _ body: (Variant) throws(Stop) -> Void
  ) throws(Stop) {
    for one in some {
      for other in others where !one.touches(other) { try body(Variant(form: form, changes: one + other)) }
    }
  }

  /// Calls `body` with all other values of a field, each combined with each of the changes.
  private func sweep<Stop: Error>(
    _ field: Field,
    digits: Int = 0,
    with units: [[Change]],
    _ form: Int,
    _ body: (Variant) throws(Stop) -> Void
  ) throws(Stop) {
    let value = content.values[field]
    let values = Alternatives.all(field, digits: digits).filter { $0 != value }
    for unit in units where !unit.contains(where: { $0.field == field }) {
      for value in values { try body(Variant(form: form, changes: [Change(field: field, value: value)] + unit)) }
    }
  }
}

extension [Change] {
  /// Tells if at least one field is changed by both.
  fileprivate func touches(_ other: [Change]) -> Bool {
    contains { change in other.contains { $0.field == change.field } }
  }
}
