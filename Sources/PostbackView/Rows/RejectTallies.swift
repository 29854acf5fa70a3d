internal import Analysis
internal import Base
internal import JSON
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// The numbers of the rejects that a question is about, by code, day and sender, from the counts of a report.
struct RejectTallies: Sendable {
  /// The records of a sender that the question does not leave out by their time, app or sender.
  struct Sender: Sendable {
    let value: ReportCube.Value
    /// All of them, accepted or not.
    var read = 0
    /// The rejects with the codes that are asked for.
    var rejects = RejectCounts()
    /// The copies with other values, which count against no forwarder, because only the whole report tells whose they are.
    var unresolved = 0
  }

  /// The rejects by code.
  private(set) var codes: [String: Int] = [:]
  /// The first and the last day that can have rejects, as numbers of days since 1970-01-01; nil if there is none.
  private(set) var days: ClosedRange<Int>?
  /// The rejects of each of these days, by code.
  private(set) var byDay: [String: [Int]] = [:]
  /// The rejects whose day is not known.
  private(set) var undated = 0
  private(set) var forwarders: [Int: Sender] = [:]
  private(set) var networks: [Int: Sender] = [:]

  /// The number of rejects.
  var count: Int { codes.values.reduce(0, +) }

  private static let day: Int64 = 86_400_000

  /// Adds up the cells of a report; nil if they do not tell the numbers of the question.
  init?(_ question: RejectRows, in cube: ReportCube) {
    guard cube.leftOut == 0, !question.values.contains(where: { $0.column == .stage }) else { return nil }
    guard (question.since ?? 0) % Self.day == 0, (question.until ?? 0) % Self.day == 0 else { return nil }
    let dimensions = cube.dimensions
    guard let isForwarder = question.accepted(.forwarder, among: dimensions.forwarders),
      let isNetwork = question.accepted(.adNetworkID, among: dimensions.networks),
      let isApp = question.accepted(.appID, among: dimensions.apps)
    else { return nil }
    let (first, end) = (question.since.map { Int($0 / Self.day) }, question.until.map { Int($0 / Self.day) })
    days = cube.days.flatMap { known in
      let (low, high) = (max(first ?? .min, known.lowerBound), min((end ?? .max) - 1, known.upperBound))
      return low <= high ? low...high : nil
    }
    for (place, outcome, count) in cube.counts {
      guard isForwarder[place.forwarder], isNetwork[place.network], isApp[place.app] else { continue }
      let code = cube.outcomes[outcome].code
      let wanted = code.flatMap { question.codes?.contains($0) ?? true ? $0 : nil }
      if first != nil || end != nil {
        // Rejects without a day, or of a day before those that are kept, may be of the wanted days.
        if place.day == nil, wanted != nil { return nil }
        guard let day = place.day, day >= first ?? .min, day < end ?? .max else { continue }
      }
      let forwarder = Sender(value: dimensions.forwarders[place.forwarder])
      forwarders[place.forwarder, default: forwarder].add(wanted, count, isOfForwarders: true)
      let network = Sender(value: dimensions.networks[place.network])
      networks[place.network, default: network].add(wanted, count, isOfForwarders: false)
      guard let code = wanted else { continue }
      codes[code, default: 0] += count
      guard let days, let day = place.day, days.contains(day) else {
        undated += count
        continue
      }
      byDay[code, default: [Int](repeating: 0, count: days.count)][day - days.lowerBound] += count
    }
  }

  /// The codes with the most rejects first.
  private var ranked: [(code: String, count: Int)] {
    codes.map { ($0.key, $0.value) }.sorted { ($1.count, $0.code) < ($0.count, $1.code) }
  }

  /// The members of an answer with the numbers by code.
  var members: [JSONValue.Member] {
    let rows = ranked.map { code, count -> JSONValue in
      .object([
        .init("code", .string(code)),
        .init("class", .string((RejectCode(rawValue: code)?.rejectClass ?? .noise).rawValue)),
        .init("count", .integer(count)),
      ])
    }
    return [.init("count", .integer(count)), .init("codes", .array(rows))]
  }

  /// The members of an answer from which charts are drawn.
  var chartMembers: [JSONValue.Member] {
    let series = ranked.compactMap { code, _ -> JSONValue? in
      guard let counts = byDay[code] else { return nil }
      return .object([.init("code", .string(code)), .init("counts", .array(counts.map { .integer($0) }))])
    }
    let time = days.map { days -> JSONValue in
      .object([
        .init("first_day", .string(Timestamp.name(ofDay: days.lowerBound))), .init("codes", .array(series)),
        .init("undated", .integer(undated)),
      ])
    }
    func senders(_ all: [Int: Sender]) -> JSONValue {
      .array(all.sorted { $0.key < $1.key }.map(\.value.json))
    }
    return [
      .init("over_time", .optional(time)),
      .init("senders", .object([.init("forwarder", senders(forwarders)), .init("network", senders(networks))])),
    ]
  }
}

extension RejectTallies.Sender {
  /// Adds records; as rejects if their code is one of those that are asked for.
  fileprivate mutating func add(_ wanted: String?, _ count: Int, isOfForwarders: Bool) {
    read += count
    guard let code = wanted else { return }
    if isOfForwarders, code == RejectCode.duplicateConflict.rawValue {
      unresolved += count
    } else {
      rejects.add(code, count)
    }
  }

  fileprivate var json: JSONValue {
    var name: JSONValue = .null
    if case .named(let text) = value { name = .string(text) }
    return .object([
      .init("name", name), .init("is_others", .bool(value == .others)), .init("read", .integer(read)),
      .init("suspicious", .integer(rejects.suspicious)), .init("noise", .integer(rejects.noise)),
      .init("copies", .integer(rejects.copies)), .init("unresolved", .integer(unresolved)),
    ])
  }
}
