package import ConversionModel
package import JSON

/// The differences between two models that change the meaning of a conversion value.
package struct ModelDifference {
  /// A property that differs, with its value in each model.
  package struct Line {
    package let property: String
    package let left: String
    package let right: String
  }

  package private(set) var lines: [Line] = []

  package init(_ left: ConversionModel, _ right: ConversionModel) {
    compare("app", "\(left.appID)", "\(right.appID)")
    compare("currency", left.currency ?? "none", right.currency ?? "none")
    compare("revenue kind", left.revenueKind.rawValue, right.revenueKind.rawValue)
    compare("measurement hours", "\(left.measurementHours)", "\(right.measurementHours)")
    func reengagement(_ model: ConversionModel) -> String { model.takesPartInReengagement ? "possible" : "none" }
    compare("re-engagement", reengagement(left), reengagement(right))
    for index in 0...2 {
      for type in [nil] + ConversionType.allCases {
        func own(_ model: ConversionModel) -> ModelWindow? {
          model.windows.first { $0.postbackSequenceIndex == index && $0.conversionType == type }
        }
        compare(own(left), own(right))
      }
    }
  }

  /// The lines as JSON.
  package var json: JSONValue {
    .array(
      lines.map { line in
        .object([
          .init("what", .string(line.property)), .init("left", .string(line.left)), .init("right", .string(line.right)),
        ])
      }
    )
  }

  private mutating func compare(_ property: String, _ left: String, _ right: String) {
    if left != right { lines.append(Line(property: property, left: left, right: right)) }
  }

  private mutating func compare(_ left: ModelWindow?, _ right: ModelWindow?) {
    guard let title = (left ?? right)?.title else { return }
    guard let left, let right else {
      return compare(title, left == nil ? "not described" : "described", right == nil ? "not described" : "described")
    }
    compare("\(title), locked early", left.lockRule.text, right.lockRule.text)
    compare("\(title), cumulative", left.isCumulative ? "yes" : "no", right.isCumulative ? "yes" : "no")
    compare("\(title), coarse values begin", left.startsText, right.startsText)
    for value in 0...63 { compare("\(title), value \(value)", left.meaning(fine: value), right.meaning(fine: value)) }
    for value in CoarseValue.allCases {
      compare("\(title), \(value.rawValue)", left.meaning(coarse: value), right.meaning(coarse: value))
    }
  }

  private mutating func compare(_ property: String, _ left: DecodedMeaning?, _ right: DecodedMeaning?) {
    switch (left, right) {
    case (nil, nil): return
    case (let one?, let other?) where one.isSame(as: other): return
    default: break
    }
    func text(_ meaning: DecodedMeaning?) -> String {
      guard let meaning else { return "not listed" }
      let estimate = meaning.revenue.map { $0 == .zero ? "" : "; \($0.estimate)" } ?? ""
      return meaning.text + estimate
    }
    lines.append(Line(property: property, left: text(left), right: text(right)))
  }
}

extension ModelWindow {
  fileprivate var startsText: String {
    coarseStarts.map { "medium at \($0.medium), high at \($0.high)" } ?? "by their own meanings"
  }
}
