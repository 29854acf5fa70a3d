/// The certainty with which a postback's campaign is known from `campaigns`.
package enum EnrichStatus: String, CaseIterable, Sendable {
  /// One row fits.
  case exact
  /// Several rows fit, and agree on the campaign.
  case agreed
  /// Several rows fit, and do not agree on the campaign.
  case ambiguous
  /// Rows with the identifier are not valid at the time of the impression.
  case outsideValidity = "outside_validity"
  /// No row fits.
  case unmapped
}

/// The values of `campaigns` for a postback: those on which all rows that fit agree.
package struct CampaignMatch: Sendable {
  package var status = EnrichStatus.unmapped
  /// The number of rows that fit.
  package var count = 0
  package var campaign = TextPair()
  package var adgroup = TextPair()
  package var creative = TextPair()
  package var placement = TextPool.none
  package var geo = TextPool.none
  /// The country, if it is the only target of all rows that fit.
  package var target: Country?
  /// The different campaigns of the rows that fit, if `status` is `ambiguous`.
  package var campaigns: Set<TextPair> = []

  /// No row fits.
  package init() {}

  /// Indicates that there is a value to report.
  package var hasValues: Bool {
    [campaign, adgroup, creative].contains { $0 != TextPair() } || placement != TextPool.none || geo != TextPool.none
  }

  /// Matches a query with the rows that have its identifier.
  init(of query: CampaignLookup, in rows: [CampaignRow]) {
    let possible = rows.filter { !$0.key.contradicts(query) }
    let valid = possible.filter { $0.validity.meets(query) }
    guard !valid.isEmpty else {
      if !possible.isEmpty { status = .outsideValidity }
      return
    }
    let found = Self.mostSpecific(valid, query)
    count = found.count
    fill(found.map(\.values))
  }

  /// Leaves out each row that another one with the same number replaces: it is valid whenever the row is, and more of
  /// its conditions are met.
  private static func mostSpecific(_ rows: [CampaignRow], _ query: CampaignLookup) -> [CampaignRow] {
    let met = rows.map { $0.key.conditionsMet(by: query) }
    guard met.contains(where: { $0 > 0 }) else { return rows }
    var specific: [Int: [Int]] = [:]
    for index in rows.indices where met[index] > 0 { specific[rows[index].key.number, default: []].append(index) }
    return rows.indices.filter { index in
      let others = specific[rows[index].key.number] ?? []
      return !others.contains { met[$0] > met[index] && rows[$0].validity.contains(rows[index].validity) }
    }.map { rows[$0] }
  }

  /// Takes over the values on which all rows agree. Below a level on which they do not agree, there are none.
  private mutating func fill(_ rows: [CampaignRow.Values]) {
    let targets = Set(rows.map(\.target))
    if targets.count == 1 { target = rows[0].target }
    status = rows.count == 1 ? .exact : .agreed
    guard let campaign = TextPair(commonTo: rows.map(\.campaign)) else {
      status = .ambiguous
      campaigns = Set(rows.map(\.campaign))
      return
    }
    self.campaign = campaign
    guard let adgroup = TextPair(commonTo: rows.map(\.adgroup)) else { return }
    self.adgroup = adgroup
    if let creative = TextPair(commonTo: rows.map(\.creative)) { self.creative = creative }
    placement = Self.common(rows.map(\.placement))
    geo = Self.common(rows.map(\.geo))
  }

  private static func common(_ numbers: [UInt32]) -> UInt32 {
    numbers.allSatisfy { $0 == numbers[0] } ? numbers[0] : TextPool.none
  }
}

extension TextPair {
  /// The id and the name that all pairs have; nil if they mean different things. The id decides where there is one, so
  /// that a name that has changed is left out.
  fileprivate init?(commonTo pairs: [TextPair]) {
    guard let first = pairs.first, pairs.allSatisfy({ $0.id == first.id }) else { return nil }
    let hasOneName = pairs.allSatisfy { $0.name == first.name }
    guard first.id != TextPool.none || hasOneName else { return nil }
    self.init(id: first.id, name: hasOneName ? first.name : TextPool.none)
  }
}

extension Validity {
  /// Tells if the impression may be in it; an unknown end of the time of the impression is open.
  fileprivate func meets(_ query: CampaignLookup) -> Bool {
    (query.latest.map { from <= $0 } ?? true) && (query.earliest.map { $0 < to } ?? true)
  }
}

extension CampaignRow.Key {
  /// Tells if a condition is not met. An unknown property of the postback contradicts nothing.
  fileprivate func contradicts(_ query: CampaignLookup) -> Bool {
    differ(country, query.country) || differ(sourceApp, query.sourceApp) || differ(redownload, query.redownload)
  }

  private func differ<Value: Equatable>(_ condition: Value?, _ value: Value?) -> Bool {
    guard let condition, let value else { return false }
    return condition != value
  }

  /// The number of conditions that the postback is known to meet; the app is one of them.
  fileprivate func conditionsMet(by query: CampaignLookup) -> Int {
    func isMet<Value: Equatable>(_ condition: Value?, _ value: Value?) -> Int {
      condition != nil && condition == value ? 1 : 0
    }
    return isMet(country, query.country) + isMet(sourceApp, query.sourceApp) + isMet(redownload, query.redownload)
      + (app == 0 ? 0 : 1)
  }
}
