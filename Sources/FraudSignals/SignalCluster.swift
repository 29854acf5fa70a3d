internal import Statistics

/// The accepted postbacks of a campaign, by sender, framework, window and week.
struct SignalCluster: DrawnKey {
  let app: String
  let network: String
  /// The forwarder whose own copies these are; nil for the copies that count, whoever sent them.
  let forwarder: String?
  /// The campaign: its id of the lookup tables, or what the postbacks tell of its number.
  let campaign: String
  /// The week of receipt; 0 if it is not known.
  let week: Int32
  let window: UInt8
  /// The family of versions: 0 up to SKAdNetwork 3, 1 for 4, 2 for AdAttributionKit.
  let family: UInt8
  /// A hash of the model and its version; 0 if the postback was not decoded.
  var model: UInt64 = 0
  /// The form of the signed fields, which tells the data tier: the digits of the source identifier, and 8 with a source app.
  var form: UInt8 = 0

  func add(to hash: inout StableHash) { for text in [app, network, campaign] { hash.add(text) } }
}

extension SignalCluster: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    let names = ((left.app, left.network, left.campaign), (right.app, right.network, right.campaign))
    if names.0 != names.1 { return names.0 < names.1 }
    if left.forwarder != right.forwarder { return left.forwarder ?? "" < right.forwarder ?? "" }
    return (left.week, left.window, left.family, left.form, left.model)
      < (right.week, right.window, right.family, right.form, right.model)
  }
}

/// Counts of the values of a cluster.
struct ClusterCounts: DrawnSum {
  /// The fine values 0 to 63; empty if there are none.
  var fine: [Int32] = []
  /// The coarse values low, medium and high.
  var coarse = InlineArray<3, Int32>(repeating: 0)
  var redownload = Rate()
  var viewThrough = Rate()
  /// The postbacks without a conversion value.
  var nulls = Rate()
  /// The countries, as the number of their letters.
  var countries: [UInt16: Int32] = [:]
  /// The number of postbacks.
  var postbacks = 0

  var records: Int { postbacks }

  mutating func add(fine value: Int, count: Int32 = 1) {
    if fine.isEmpty { fine = Array(repeating: 0, count: 64) }
    fine[value] += count
  }

  static func += (left: inout Self, right: Self) {
    if left.fine.isEmpty || right.fine.isEmpty {
      left.fine += right.fine
    } else {
      for (value, count) in right.fine.enumerated() { left.fine[value] += count }
    }
    for place in left.coarse.indices { left.coarse[place] += right.coarse[place] }
    left.redownload += right.redownload
    left.viewThrough += right.viewThrough
    left.nulls += right.nulls
    left.countries.merge(right.countries, uniquingKeysWith: +)
    left.postbacks += right.postbacks
  }

  /// The counts of the values of a measure, from the lowest value on.
  func histogram(_ measure: ClusterMeasure) -> [Int] {
    func shares(_ rate: Rate) -> [Int] { [rate.total - rate.count, rate.count] }
    switch measure {
    case .fine: return fine.map(Int.init)
    case .coarse: return (0..<3).map { Int(coarse[$0]) }
    case .redownload: return shares(redownload)
    case .viewThrough: return shares(viewThrough)
    case .nulls: return shares(nulls)
    case .country(let country):
      let all = countries.values.reduce(0) { $0 + Int($1) }
      let found = Int(countries[country] ?? 0)
      return [all - found, found]
    }
  }
}

/// A measure whose mean is compared between campaigns.
enum ClusterMeasure: Sendable, Hashable {
  case fine, coarse, nulls, redownload, viewThrough
  case country(UInt16)

  var name: SignalName {
    switch self {
    case .fine: .fineValues
    case .coarse: .coarseValues
    case .nulls: .inventedNulls
    case .redownload: .redownloads
    case .viewThrough: .viewThrough
    case .country: .countries
    }
  }

  /// Indicates that the values have an order, and are compared by their rank among all values of the same app, versions,
  /// window and week.
  var isRanked: Bool { self == .fine || self == .coarse }

  /// The value of a country in words; nil for the others.
  var value: String? {
    guard case .country(let letters) = self else { return nil }
    return String(decoding: [UInt8(letters >> 8), UInt8(letters & 255)], as: UTF8.self)
  }
}
