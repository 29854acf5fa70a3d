internal import Tables

extension Explanation {
  /// Returns the explanation of a postback that was verified elsewhere, with other keys: its signature may be valid.
  func withoutVerdict(because reason: String) -> Explanation {
    var explanation = self
    for index in sections.indices where sections[index].title == "signature" {
      explanation.sections[index].facts.removeAll { $0.name == "keys_tried" }
      explanation.sections[index].facts = explanation.sections[index].facts.map { fact in
        fact.name == ColumnName.signatureState.rawValue ? (fact.name, reason) : fact
      }
    }
    return explanation
  }

  /// Returns the explanation without some sections.
  func without(_ titles: Set<String>) -> Explanation {
    var explanation = self
    explanation.sections.removeAll { titles.contains($0.title) }
    return explanation
  }

  /// The transaction that the postback names; nil if it names none, or could not be parsed.
  package var transactionID: String? {
    let facts = sections.filter { $0.title == "postback" }.flatMap(\.facts)
    return facts.first { $0.name == ColumnName.transactionID.rawValue }?.value
  }
}
