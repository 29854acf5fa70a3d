internal import Base
internal import JSON

/// Reads one model, and notes all problems found in it.
@available(iOS 18.0, *)
struct ModelReader {
  let file: String
  private(set) var problems: [ModelProblem] = []

  mutating func note(_ node: JSONNode, _ reason: String) {
    problems.append(ModelProblem(file: file, pointer: node.pointer, reason: reason))
  }

  /// Reads the model; nil where the node is no object, or the app, the label or the span is wrong. The result is valid
  /// only where there are no problems.
  mutating func model(_ node: JSONNode) -> ConversionModel? {
    let known = [
      "app_id", "model_id", "version", "effective_from", "effective_to", "currency", "revenue_kind",
      "measurement_hours", "reengagement", "bundle_id", "windows",
    ]
    guard isObject(node, keys: known, called: "a model") else { return nil }
    let appID = integer(node["app_id"], in: 0...Int64.max)
    let label = label(node)
    let span = span(node)
    let currency = currency(node["currency"])
    let revenueKind = node["revenue_kind"].value == nil ? .all : word(node["revenue_kind"], RevenueKind.self)
    let measurementHours = integer(node["measurement_hours"], in: 1...1440, default: 24)
    let takesPartInReengagement = bool(node["reengagement"], default: true)
    let bundleID = node["bundle_id"].value == nil ? nil : text(node["bundle_id"])
    let windows = windows(node["windows"], hasCurrency: currency != nil)
    if currency == nil, node["currency"].value ?? .null == .null, let event = firstWithRevenue(node["windows"]) {
      note(
        node["currency"],
        "A currency is needed, because \(event.pointer) has revenue. Give an ISO 4217 code such as \"USD\"."
      )
    }
    if !takesPartInReengagement { noteReengagements(node["windows"]) }
    guard let appID, let label, let span else { return nil }
    return ConversionModel(
      appID: appID,
      label: label,
      span: span,
      currency: currency,
      revenueKind: revenueKind ?? .all,
      measurementHours: Int(measurementHours ?? 24),
      takesPartInReengagement: takesPartInReengagement,
      bundleID: bundleID,
      windows: windows,
      definition: node.value ?? .null
    )
  }

  private mutating func label(_ node: JSONNode) -> ModelLabel? {
    let id = node["model_id"]
    let version = integer(node["version"], in: 1...Int64.max)
    guard case .string(let text) = id.value, (1...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isInNames)
    else {
      note(id, mustBe: "a string of 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'")
      return nil
    }
    return version.map { ModelLabel(modelID: text, version: Int($0)) }
  }

  private mutating func span(_ node: JSONNode) -> EffectiveSpan? {
    let (from, before) = (node["effective_from"], problems.count)
    if from.value == nil {
      note(
        from,
        mustBe: "a time such as \"2026-03-01T00:00:00Z\", or null if the model applies to all earlier installs"
      )
    }
    let span = EffectiveSpan(start: time(from), end: time(node["effective_to"]))
    if let start = span.start, span.ends(by: start) {
      note(node["effective_to"], mustBe: "later than effective_from, which is \(start)")
    }
    return problems.count == before ? span : nil
  }

  /// Reads a time; nil where it is absent, null or wrong.
  private mutating func time(_ node: JSONNode) -> Timestamp? {
    switch node.value {
    case nil, .null: return nil
    case .string(let text):
      if let time = Timestamp(text) { return time }
      fallthrough
    default:
      note(node, mustBe: "an RFC 3339 time such as \"2026-03-01T00:00:00Z\", from 1970 to 9999, or null")
      return nil
    }
  }

  private mutating func currency(_ node: JSONNode) -> String? {
    switch node.value {
    case nil, .null: return nil
    case .string(let code) where code.isCurrencyCode: return code
    default:
      note(node, mustBe: "an ISO 4217 code of three capital letters such as \"USD\"")
      return nil
    }
  }

  /// Notes each window for re-engagements, in a model whose app takes part in none.
  private mutating func noteReengagements(_ windows: JSONNode) {
    for window in windows.elements ?? [] {
      let type = window["conversion_type"]
      guard type.value == .string(ConversionType.reEngagement.rawValue) else { continue }
      note(
        type,
        "The value must not be re-engagement, because the model has \"reengagement\": false. Remove the window, or set "
          + "\"reengagement\" to true."
      )
    }
  }

  /// The first node in the windows that involves revenue: an event with revenue, or a kind `revenue`.
  private func firstWithRevenue(_ windows: JSONNode) -> JSONNode? {
    for window in windows.elements ?? [] {
      for (_, events) in (window["fine"].members ?? []) + (window["coarse"].members ?? []) {
        for event in events.elements ?? [] where event["min_revenue"].value ?? event["value"].value != nil {
          return event
        }
      }
      for part in [window] + (window["parts"].elements ?? []) where part["kind"].value == .string("revenue") {
        return part["kind"]
      }
    }
    return nil
  }
}
