internal import Base
package import ConversionModel
package import JSON

/// The meaning of an app's conversion values, as partners read it to decode postbacks themselves.
package struct ConversionSchema {
  private let model: ConversionModel

  /// The schema of a model.
  package init(_ model: ConversionModel) { self.model = model }

  /// The schema as a JSON object.
  package var json: JSONValue {
    .object([
      .init("app_id", .integer(model.appID)), .init("model_id", .string(model.label.modelID)),
      .init("model_version", .integer(model.label.version)),
      .init("measurement_window_hours", .integer(model.measurementHours)),
      .init("last_config_change", .text(model.span.start?.description)),
      .init("revenue_kind", .string(model.revenueKind.rawValue)),
      .init("mappings", .array(model.windows.flatMap(mappings))),
      .init("lock_window", .array(model.windows.map(lock))),
    ])
  }

  private func place(_ window: ModelWindow) -> [JSONValue.Member] {
    [.init("window", .integer(window.postbackSequenceIndex))]
      + (window.conversionType.map { [.init("conversion_type", .string($0.rawValue))] } ?? [])
  }

  private func mappings(_ window: ModelWindow) -> [JSONValue] {
    let fine = window.fineValues.map { value in
      (JSONValue.Member("fine", .integer(value)), window.meaning(fine: value))
    }
    let coarse = CoarseValue.allCases.map { value in
      (JSONValue.Member("coarse", .string(value.rawValue)), window.meaning(coarse: value))
    }
    return (fine + coarse).compactMap { value, meaning in
      guard let meaning else { return nil }
      let events = meaning.events.map { event in
        JSONValue.object([
          .init("name", .string(event.name)), .init("count_min", .integer(event.minimumCount)),
          .init("count_max", .integer(event.maximumCount)),
        ])
      }
      return .object(
        place(window) + [
          value, .init("events", .array(events)), .init("revenue_min", Self.amount(meaning.revenue?.minimum)),
          .init("revenue_max", Self.amount(meaning.revenue?.maximum)),
          .init("currency", meaning.revenue == nil ? .null : .text(model.currency)),
        ]
      )
    }
  }

  private static func amount(_ amount: Amount?) -> JSONValue { amount.map { .number("\($0)") } ?? .null }

  private func lock(_ window: ModelWindow) -> JSONValue {
    let rule: [JSONValue.Member] =
      switch window.lockRule {
      case .never: [.init("lock", .string("never"))]
      case .highestValue: [.init("lock", .string("highest_value"))]
      case .fineValue(let value): [.init("lock", .string("fine")), .init("fine", .integer(value))]
      case .coarseValue(let value): [.init("lock", .string("coarse")), .init("coarse", .string(value.rawValue))]
      case .event(let name): [.init("lock", .string("event")), .init("event", .string(name))]
      }
    return .object(place(window) + rule)
  }
}
