internal import ConversionModel
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Tables

/// The counts of a report by install day from which null postbacks are modelled, beside the rows of `skan_modelled`.
///
/// After the postbacks of old days were removed because of their age, the next report takes the counts of these days from here.
/// So the modelled table keeps the periods that it had.
package struct StratumHistory: Sendable {
  /// The name of the file, which readers of parts pass over.
  package static let name = DerivedTable.countsName

  /// The postbacks of a stratum and a window with a value.
  private struct Key: Hashable {
    let stratum: Stratum
    let window: Int
    /// The number of the value.
    let value: Int
  }

  private var counts: [Key: [Int64: Int]] = [:]
  private var values: [(value: StratumCounts.Value, text: String)] = []
  private var numbers: [String: Int] = [:]

  /// No counts.
  package init() {}

  /// Returns the number of a value, which equal ones have in common.
  package mutating func number(of value: StratumCounts.Value) -> Int {
    let text = value.json.description
    if let known = numbers[text] { return known }
    numbers[text] = values.count
    values.append((value, text))
    return values.count - 1
  }

  /// Counts postbacks of an install day whose value has a number.
  package mutating func add(valueNumber: Int, _ stratum: Stratum, window: Int, day: Int64, count: Int) {
    counts[Key(stratum: stratum, window: window, value: valueNumber), default: [:]][day, default: 0] += count
  }

  /// Calls `body` for the postbacks of each day before a day.
  package func forEach(
    before end: Int64,
    _ body: (StratumCounts.Value, Stratum, _ window: Int, _ day: Int64, _ count: Int) -> Void
  ) {
    for (key, days) in counts {
      for (day, count) in days where day < end { body(values[key.value].value, key.stratum, key.window, day, count) }
    }
  }
}

// MARK: - The file

extension StratumHistory {
  private static let mostBytes = 1 << 30

  /// Reads the counts beside `skan_modelled` in a folder; none if there is no file.
  package init(in output: String) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(Table.modelled.name)")
    guard try folder.byteCount(of: Self.name) != nil else { return }
    let path = "\(folder.path)/\(Self.name)"
    for line in try WholeFile.read(path, upTo: Self.mostBytes).split(separator: UInt8(ascii: "\n")) {
      guard let row = try? JSONValue(parsing: Array(line)), case .array(let days)? = row["days"],
        let app = row["app"]?.integer, let network = row["network"]?.text, let window = row["window"]?.integer,
        let value = row["value"].flatMap({ StratumCounts.Value($0) })
      else { throw .damaged(path, "The file has a line that is no row of counts") }
      let identifier: Stratum.Identifier =
        if let number = row["campaign"]?.integer {
          .campaign(Int(number))
        } else if let digits = row["source"]?.integer {
          .source(Int(digits))
        } else { .none }
      let stratum = Stratum(app: app, network: network, identifier)
      let valueNumber = self.number(of: value)
      for day in days {
        guard case .array(let pair) = day, pair.count == 2, let number = pair[0].integer,
          let count = pair[1].integer
        else { continue }
        add(valueNumber: valueNumber, stratum, window: Int(window), day: number, count: Int(count))
      }
    }
  }

  /// The lines of the file, in order.
  package var lines: [UInt8] {
    let ordered = counts.sorted { one, other in
      let (left, right) = (one.key, other.key)
      if left.stratum != right.stratum { return left.stratum < right.stratum }
      return (left.window, values[left.value].text) < (right.window, values[right.value].text)
    }
    var lines: [UInt8] = []
    for (key, days) in ordered {
      var members: [JSONValue.Member] = [
        .init("app", .number("\(key.stratum.app)")), .init("network", .string(key.stratum.network)),
      ]
      switch key.stratum.identifier {
      case .campaign(let number): members.append(.init("campaign", .integer(number)))
      case .source(let digits): members.append(.init("source", .integer(digits)))
      case .none: break
      }
      members += [
        .init("window", .integer(key.window)), .init("value", values[key.value].value.json),
        .init("days", .array(days.sorted { $0.key < $1.key }.map { .array([.integer($0.key), .integer($0.value)]) })),
      ]
      lines += JSONValue.object(members).description.utf8
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }
}

extension StratumCounts.Value {
  /// The value as JSON: a word for a postback without a decoded value, and otherwise an object.
  fileprivate var json: JSONValue {
    switch self {
    case .null: return .string("null")
    case .ambiguousZero: return .string("ambiguous_zero")
    case .undecoded: return .string("undecoded")
    case .decoded(let value):
      func amount(_ amount: Amount?) -> JSONValue { amount.map { .number("\($0)") } ?? .null }
      return .object([
        .init("model", .string(value.modelID)), .init("version", .integer(value.modelVersion)),
        .init("code", .integer(value.code)), .init("estimate", amount(value.estimate)),
        .init("minimum", amount(value.minimum)), .init("maximum", amount(value.maximum)),
        .init("currency", .text(value.currency)), .init("cumulative", .bool(value.isCumulative)),
        .init("tier", .integer(value.tier)), .init("wide_date", .bool(value.hasWideDate)),
        .init("events", .texts(value.events)),
      ])
    }
  }

  /// Reads a value; nil if it is none.
  fileprivate init?(_ json: JSONValue) {
    switch json.text {
    case "null": self = .null
    case "ambiguous_zero": self = .ambiguousZero
    case "undecoded": self = .undecoded
    default:
      guard let model = json["model"]?.text, let version = json["version"]?.integer, let code = json["code"]?.integer
      else { return nil }
      var value = ReportedValue(modelID: model, modelVersion: Int(version), fine: Int(code))
      value.estimate = json["estimate"]?.amount
      (value.minimum, value.maximum) = (json["minimum"]?.amount, json["maximum"]?.amount)
      value.currency = json["currency"]?.text
      value.isCumulative = json["cumulative"] == .bool(true)
      value.hasWideDate = json["wide_date"] == .bool(true)
      if let tier = json["tier"]?.integer { value.tier = Int(tier) }
      if case .array(let events)? = json["events"] { value.events = events.compactMap(\.text) }
      self = .decoded(value)
    }
  }
}
