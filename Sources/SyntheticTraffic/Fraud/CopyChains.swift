internal import SKAdNetwork

/// The lines that are copies of one postback, by the line of the first of them in clean traffic.
struct CopyChains {
  private var indices: [Int: [Int]] = [:]
  private var firstsOfForwarders: Set<Int> = []

  /// Finds the copies. Postbacks with copies that are more than that, such as those of other apps with the same
  /// transaction, are left out.
  init(_ plans: [LinePlan]) {
    var excluded: Set<Int> = []
    for (index, plan) in plans.enumerated() where plan.arrival?.truth != nil {
      if plan.kind == .duplicateTransaction || plan.kind == .zeroFilled { excluded.insert(plan.root) }
      indices[plan.root, default: []].append(index)
    }
    for root in excluded { indices[root] = nil }
    for chain in indices.values {
      var forwarders: Set<String> = []
      for index in chain {
        guard let forwarder = plans[index].arrival?.forwarder else { continue }
        if forwarders.insert(forwarder).inserted { firstsOfForwarders.insert(index) }
      }
    }
  }

  /// The places of the copies of a postback, in their order.
  subscript(root: Int) -> [Int] { indices[root] ?? [] }

  /// Tells if a line is the first copy of its postback that its forwarder sent.
  func isFirstOfForwarder(_ index: Int) -> Bool { firstsOfForwarders.contains(index) }

  /// Plans the outcome of the copies of some postbacks again: the first with a valid signature is accepted, and the
  /// others are copies of that.
  func planOutcomes(of roots: Set<Int>, in plans: inout [LinePlan]) {
    for root in roots {
      var first: LinePlan?
      for index in self[root] {
        if plans[index].fraud?.kind == .flipWin {
          plans[index].kind = .edited
          plans[index].change = plans[index].fraud?.change
          plans[index].originalLine = nil
        } else if let first {
          plans[index].change = plans[index].draft.unsignedChange(from: first.draft)
          plans[index].kind = plans[index].change == nil ? .duplicateIdentical : .duplicateConflict
          plans[index].originalLine = first.line
        } else {
          plans[index].change = plans[index].draft.unsignedChange(from: plans[index].signed)
          plans[index].kind = plans[index].change == nil ? .valid : .forwarderEdited
          plans[index].originalLine = nil
          first = plans[index]
        }
      }
    }
  }
}

extension PostbackDraft {
  /// Returns the first difference of the unsigned fields from those of another draft; nil if there is none.
  func unsignedChange(from other: PostbackDraft) -> FieldChange? {
    let fields: [Field] = [
      .conversionValue, .coarseConversionValue, .countryCode, .adInteractionType, .redownload, .sourceAppID,
    ]
    for field in fields where !format.rules.signs(field) && self[field] != other[field] {
      return FieldChange(field: field, original: other[field]?.text, edited: self[field]?.text)
    }
    return nil
  }
}
