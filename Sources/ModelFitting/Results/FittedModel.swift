package import Base
internal import ConversionModel
package import JSON

/// The labels of a fitted model.
package struct FittedLabels: Sendable {
  package var appID: Int64
  package var bundleID: String?
  package var modelID: String
  package var version: Int
  /// The first install date of the model; nil if it is for all.
  package var effectiveFrom: Timestamp?
  /// The event whose revenue the values tell.
  package var event: String

  package init(
    appID: Int64,
    bundleID: String?,
    modelID: String,
    version: Int,
    effectiveFrom: Timestamp?,
    event: String
  ) {
    (self.appID, self.bundleID, self.modelID) = (appID, bundleID, modelID)
    (self.version, self.effectiveFrom, self.event) = (version, effectiveFrom, event)
  }
}

extension FitReport {
  /// The fitted model as a model file has it.
  package func json(_ labels: FittedLabels) -> JSONValue {
    .object(head(labels) + [.init("windows", .array(windows.indices.map { .object(window($0, labels.event)) }))])
  }

  /// The fitted model as a file, with a line for each value.
  package func text(_ labels: FittedLabels) -> String {
    func members(_ members: [JSONValue.Member], indent: Int) -> String {
      let space = String(repeating: " ", count: indent)
      return members.map { member in
        guard indent < 8, case .object(let inner) = member.value else {
          return "\(space)\(JSONValue.string(member.key)): \(member.value)"
        }
        return "\(space)\(JSONValue.string(member.key)): {\n\(lines(inner, indent: indent + 2))\n\(space)}"
      }
      .joined(separator: ",\n")
    }
    func lines(_ inner: [JSONValue.Member], indent: Int) -> String { members(inner, indent: max(indent, 8)) }
    let windows = windows.indices.map { "    {\n\(members(window($0, labels.event), indent: 6))\n    }" }
    return "{\n\(members(head(labels), indent: 2)),\n  \"windows\": [\n\(windows.joined(separator: ",\n"))\n  ]\n}\n"
  }

  private func head(_ labels: FittedLabels) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [.init("app_id", .integer(labels.appID))]
    if let bundle = labels.bundleID { members.append(.init("bundle_id", .string(bundle))) }
    return members + [
      .init("model_id", .string(labels.modelID)),
      .init("version", .integer(labels.version)),
      .init("effective_from", .text(labels.effectiveFrom?.description)),
      .init("currency", .string(population.currency)),
      .init("revenue_kind", .string(revenueKind.rawValue)),
    ]
  }

  private func window(_ index: Int, _ event: String) -> [JSONValue.Member] {
    let window = windows[index]
    var members: [JSONValue.Member] = [.init("postback_sequence_index", .integer(index))]
    if window.lock != .never { members.append(.init("lock_window", window.lock.json)) }
    if !window.fine.isEmpty {
      let fine = window.fine.enumerated().map { JSONValue.Member("\($0.offset)", $0.element.json(event)) }
      members.append(.init("fine", .object(fine)))
    }
    let coarse = zip(CoarseValue.allCases, window.coarse).map { JSONValue.Member($0.rawValue, $1.json(event)) }
    members.append(.init("coarse", .object(coarse)))
    return members
  }
}

extension FittedValue {
  /// The events of the value: those that happened, and the one with revenue.
  fileprivate func json(_ event: String) -> JSONValue {
    let happened = events.map { name -> JSONValue in
      .object([.init("event", .string(name)), .init("min_count", .integer(1)), .init("max_count", .null)])
    }
    let earning: [JSONValue.Member] = [
      .init("event", .string(event)),
      .init("min_count", .integer(least > .zero ? 1 : 0)),
      .init("max_count", .null),
      .init("min_revenue", .number(least.description)),
      .init("max_revenue", below.map { .number($0.description) } ?? .null),
      .init("value", .number(mean.description)),
    ]
    return .array(happened + [.object(earning)])
  }
}

extension LockCondition {
  /// The condition as `lock_window` has it.
  package var json: JSONValue {
    switch self {
    case .never: .bool(false)
    case .secondDay: .object([.init("event", .string(Activity.lastActiveDay))])
    case .fineValue(let value): .object([.init("fine_value", .integer(value))])
    case .coarseValue(let value): .object([.init("coarse_value", .string(CoarseValue(rank: value)?.rawValue ?? ""))])
    }
  }
}
