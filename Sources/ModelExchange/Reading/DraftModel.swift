internal import Base
internal import ConversionModel
internal import JSON

/// A model that is made of a schema, before it is checked.
struct DraftModel {
  let appID: Int64
  /// The first install date of the schema; nil where it does not say one.
  var start: Timestamp?
  var measurementHours: Int?
  /// The currency that the schema or the operator states for all revenue, and its place in the schema.
  var statedCurrency: String?
  var currencyNode: JSONNode?
  /// The currency of all revenue; nil while there is none.
  private(set) var currency: String?
  var windows: [DraftWindow] = []

  /// Takes the currency of a revenue, which is that of all; notes another one.
  mutating func take(currency code: String, of node: JSONNode, _ reader: inout SchemaReader) {
    if let currency, currency != code {
      let reason = "The revenue is in \(code), and earlier revenue in \(currency). A model has one currency."
      return reader.note(node, reason)
    }
    currency = code
  }

  /// The model as its file has it.
  func json(_ choice: ImportChoice) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("app_id", .integer(appID)), .init("model_id", .string(choice.modelID)),
      .init("version", .integer(choice.version)),
      .init("effective_from", .text((choice.start ?? start)?.description)),
      .init("effective_to", .null),
      .init("currency", .text(currency)),
    ]
    if let measurementHours { members.append(.init("measurement_hours", .integer(measurementHours))) }
    members.append(.init("windows", .array(windows.map(\.json))))
    return .object(members)
  }
}

/// A window of a model that is made of a schema.
struct DraftWindow {
  /// The `postback-sequence-index`.
  let index: Int
  /// The hours after the first launch after which the app updates the value no more.
  var end: Int
  /// The value of `lock_window`; nil where the window is never locked early.
  var lock: JSONValue?
  /// The meanings of fine values, in ascending order when they are written.
  private(set) var fine: [Int: [DraftEvent]] = [:]
  /// The meanings of coarse values.
  private(set) var coarse: [CoarseValue: [DraftEvent]] = [:]

  init(_ index: Int) { (self.index, end) = (index, Self.hours(of: index).upperBound) }

  /// The hours after the first launch in which Apple lets an app update the value.
  var hours: ClosedRange<Int> { Self.hours(of: index) }

  /// The hours of the window with an index.
  static func hours(of index: Int) -> ClosedRange<Int> { index == 0 ? 0...48 : index == 1 ? 48...168 : 168...840 }

  /// Adds the meaning of a fine value; false where it has one.
  mutating func add(_ events: [DraftEvent], fine value: Int) -> Bool {
    guard fine[value] == nil else { return false }
    fine[value] = events
    return true
  }

  /// Adds the meaning of a coarse value; false where it has one.
  mutating func add(_ events: [DraftEvent], coarse value: CoarseValue) -> Bool {
    guard coarse[value] == nil else { return false }
    coarse[value] = events
    return true
  }

  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [.init("postback_sequence_index", .integer(index))]
    if let lock { members.append(.init("lock_window", lock)) }
    if !fine.isEmpty {
      let values = fine.sorted { $0.key < $1.key }.map { JSONValue.Member("\($0.key)", .array($0.value.map(\.json))) }
      members.append(.init("fine", .object(values)))
    }
    if !coarse.isEmpty {
      let values = CoarseValue.allCases.compactMap { value in
        coarse[value].map { JSONValue.Member(value.rawValue, .array($0.map(\.json))) }
      }
      members.append(.init("coarse", .object(values)))
    }
    return .object(members)
  }
}

/// An event of a conversion value of a schema.
struct DraftEvent {
  let name: String
  /// The fewest and the most times that it happened; no most times where that is open.
  var least = 1
  var most: Int?
  var revenue: DraftRevenue?

  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [.init("event", .string(name))]
    if least != 1 || most != 1 {
      members += [.init("min_count", .integer(least)), .init("max_count", .integer(most))]
    }
    if let revenue {
      members.append(.init("min_revenue", .number(revenue.minimum.description)))
      members.append(.init("max_revenue", revenue.maximum.map { .number($0.description) } ?? .null))
      if let value = revenue.value { members.append(.init("value", .number(value.description))) }
    }
    return .object(members)
  }
}

/// The revenue of an event: from `minimum` to below `maximum`, or exactly one amount if they are equal.
struct DraftRevenue {
  let minimum: Amount
  /// The exclusive upper limit; nil where it is open.
  let maximum: Amount?
  /// The estimate; nil where it is the middle of the range.
  let value: Amount?

  /// An exact amount.
  init(exactly amount: Amount) { (minimum, maximum, value) = (amount, amount, nil) }

  /// The range from `minimum` to below `maximum`.
  init(from minimum: Amount, toBelow maximum: Amount?, value: Amount? = nil) {
    (self.minimum, self.maximum, self.value) = (minimum, maximum, value)
  }

  /// The range that contains both its ends. Its estimate is the middle, rounded to six fraction digits, unless `value` is it.
  init(from minimum: Amount, through maximum: Amount, value: Amount? = nil) {
    guard minimum < maximum else {
      self.init(exactly: minimum)
      return
    }
    let middle = Amount.midpoint(minimum, maximum).units
    let rounded = Amount(units: middle % 10 == 0 ? middle : middle % 20 == 5 ? middle - 5 : middle + 5)
    self.init(from: minimum, toBelow: Amount(units: maximum.units + 10), value: value ?? rounded)
  }
}
