package import Base
package import ConversionModel
package import JSON

/// Models as JSON that can be loaded again. The values of a window are always written as a table, whatever the kind of
/// its definition.
extension ConversionModel {
  /// The model, with those of its windows for which `isShown` returns true.
  package func json(_ isShown: (ModelWindow) -> Bool = { _ in true }) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("app_id", .integer(appID)),
      .init("model_id", .string(label.modelID)),
      .init("version", .integer(label.version)),
      .init("effective_from", .time(span.start)),
      .init("effective_to", .time(span.end)),
      .init("currency", .text(currency)),
      .init("revenue_kind", .string(revenueKind.rawValue)),
      .init("measurement_hours", .integer(measurementHours)),
      .init("reengagement", .bool(takesPartInReengagement)),
    ]
    if let bundleID { members.append(.init("bundle_id", .string(bundleID))) }
    members.append(.init("windows", .array(windows.filter(isShown).map(\.json))))
    return .object(members)
  }
}

extension ModelWindow {
  /// The window, its values as a table.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [.init("postback_sequence_index", .integer(postbackSequenceIndex))]
    if let conversionType { members.append(.init("conversion_type", .string(conversionType.rawValue))) }
    members += [.init("cumulative", .bool(isCumulative)), .init("lock_window", lockRule.json)]
    let fine = fineValues.compactMap { value in
      meaning(fine: value).map { JSONValue.Member("\(value)", $0.json) }
    }
    // A file with coarse_from must have fine, even if that is empty.
    if !fine.isEmpty || coarseStarts != nil { members.append(.init("fine", .object(fine))) }
    let coarse = CoarseValue.allCases.compactMap { value in
      meaning(coarse: value).map { JSONValue.Member(value.rawValue, $0.json) }
    }
    if !coarse.isEmpty { members.append(.init("coarse", .object(coarse))) }
    if let coarseStarts {
      let starts: [JSONValue.Member] = [
        .init("medium", .integer(coarseStarts.medium)), .init("high", .integer(coarseStarts.high)),
      ]
      members.append(.init("coarse_from", .object(starts)))
    }
    return .object(members)
  }
}

extension DecodedMeaning {
  /// The events, an array.
  package var json: JSONValue { .array(events.map(\.json)) }
}

extension ModelEvent {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("event", .string(name)),
      .init("min_count", .integer(minimumCount)),
      .init("max_count", .integer(maximumCount)),
    ]
    if let revenue {
      members.append(.init("min_revenue", .amount(revenue.minimum)))
      members.append(.init("max_revenue", revenue.maximum.map { .amount($0) } ?? .null))
      let isMiddle = revenue.maximum.map { revenue.estimate == .midpoint(revenue.minimum, $0) } ?? false
      if !isMiddle { members.append(.init("value", .amount(revenue.estimate))) }
    }
    return .object(members)
  }
}

extension LockRule {
  fileprivate var json: JSONValue {
    switch self {
    case .never: .bool(false)
    case .highestValue: .bool(true)
    case .fineValue(let value): .object([.init("fine_value", .integer(value))])
    case .coarseValue(let value): .object([.init("coarse_value", .string(value.rawValue))])
    case .event(let name): .object([.init("event", .string(name))])
    }
  }
}

extension JSONValue {
  /// An amount of money.
  package static func amount(_ amount: Amount) -> JSONValue { .number(amount.description) }

  /// A time; null where there is none.
  package static func time(_ time: Timestamp?) -> JSONValue { .text(time?.description) }
}
