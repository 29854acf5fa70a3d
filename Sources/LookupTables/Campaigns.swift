internal import Base

/// The columns of `campaigns`.
enum CampaignFileColumn: String, LookupColumn {
  case adNetworkID = "ad_network_id"
  case networkName = "network_name"
  case appID = "app_id"
  case campaignKey = "campaign_key"
  case kind
  case country
  case sourceAppID = "source_app_id"
  case redownload
  case campaignID = "campaign_id"
  case campaignName = "campaign_name"
  case adgroupID = "adgroup_id"
  case adgroupName = "adgroup_name"
  case creativeID = "creative_id"
  case creativeName = "creative_name"
  case placement
  case geo
  case targetCountries = "target_countries"
  case validFrom = "valid_from"
  case validTo = "valid_to"

  static let required = [campaignKey]
}

/// A row of `campaigns`.
struct CampaignRow: Sendable {
  /// The kind of a key: the field of the postback that it is compared with.
  enum Kind: String, CaseIterable, Sendable {
    /// `campaign-id`, in SKAdNetwork 3 and before.
    case campaignID = "campaign_id"
    /// `source-identifier`, from SKAdNetwork 4 on and in AdAttributionKit.
    case sourceIdentifier = "source_identifier"
  }

  /// The properties of a postback that identify the row, and that a postback must not contradict.
  struct Key: Hashable, Sendable {
    var network: UInt32
    /// The advertised app; 0 for all.
    var app: Int64
    var kind: Kind
    /// The campaign's number, or the source identifier with all four digits as a number.
    var number: Int
    var country: Country?
    var sourceApp: Int64?
    var redownload: Bool?
  }

  /// The values of the row, as numbers of texts.
  struct Values: Hashable, Sendable {
    var campaign = TextPair()
    var adgroup = TextPair()
    var creative = TextPair()
    var placement = TextPool.none
    var geo = TextPool.none
    /// `target_countries` as it is written.
    var targets = TextPool.none
    /// The country, if there is exactly one.
    var target: Country?
  }

  var key: Key
  /// The key of the network's id, if the row names the id and networks has a name for it; otherwise `TextPool.none`.
  var networkID = TextPool.none
  let validity: Validity
  let values: Values
  /// The number of the line in the file.
  let line: Int
}

/// The id and the name of a campaign, an ad group or a creative, as numbers of texts.
package struct TextPair: Hashable, Sendable {
  package var id = TextPool.none
  package var name = TextPool.none
}

/// Texts by number, each once. The number 0 is no text.
package struct TextPool: Sendable {
  /// The number of no text.
  package static let none: UInt32 = 0

  private var numbers: [String: UInt32] = [:]
  private var texts: [String] = [""]

  /// A pool without texts.
  package init() {}

  /// Returns the number of a text.
  package mutating func number(of text: String?) -> UInt32 {
    guard let text else { return Self.none }
    if let number = numbers[text] { return number }
    let number = UInt32(texts.count)
    numbers[text] = number
    texts.append(text)
    return number
  }

  /// Returns the number of a text that may not be in the pool.
  func knownNumber(of text: String) -> UInt32? { numbers[text] }

  /// Returns the text with a number; nil for `none`.
  package subscript(number: UInt32) -> String? { number == Self.none ? nil : texts[Int(number)] }
}

/// The rows of `campaigns`, and the texts in them.
struct Campaigns: Sendable {
  /// The rows, in the order of their lines, without those that repeat others.
  var rows: [CampaignRow] = []
  /// The texts in the rows, and the keys of networks.
  var texts = TextPool()
  /// The further keys of the networks of rows that name an id, by the key of the id: later names, and the id itself.
  private(set) var aliases: [UInt32: [UInt32]] = [:]

  /// The text under which rows and postbacks of a network with a name are compared.
  static func key(name: String) -> String { "name \(name)" }

  /// The text under which rows and postbacks of a network without a name are compared.
  static func key(id: String) -> String { "id \(id)" }

  /// Reads `campaigns`; `networks` is complete.
  mutating func read(_ file: LookupFile, _ networks: Networks, _ findings: inout LookupFindings) {
    let names = networks.allNames
    var unknownNames: Set<String> = []
    /// The rows without a kind whose keys have up to three digits, which may be of either kind.
    var unstated: [(network: UInt32, row: LookupRow<CampaignFileColumn>)] = []
    var ofSourceIdentifiers: Set<UInt32> = []
    file.read(CampaignFileColumn.self, &findings) { row, findings in
      guard let (network, networkID) = network(of: &row, networks, &findings) else { return }
      if let name = row.cells[.networkName], !names.contains(name), unknownNames.insert(name).inserted {
        let reason = "No row of networks has this name, so that no postback is of it. Add the network's ids there."
        row.warn(.networkName, reason, &findings)
      }
      if row.cells[.kind] == nil, let text = row.cells[.campaignKey], text.utf8.count <= 3 {
        unstated.append((network, row))
      }
      guard var campaign = read(&row, network, &findings) else { return }
      campaign.networkID = networkID
      if campaign.key.kind == .sourceIdentifier { ofSourceIdentifiers.insert(network) }
      rows.append(campaign)
    }
    for (network, var row) in unstated where ofSourceIdentifiers.contains(network) {
      let reason = """
        The network also has source identifiers, so that a key of up to three digits may be of either kind. Write \
        campaign_id or source_identifier.
        """
      row.note(.kind, reason, &findings)
    }
  }

  private mutating func network(
    of row: inout LookupRow<CampaignFileColumn>,
    _ networks: Networks,
    _ findings: inout LookupFindings
  ) -> (key: UInt32, id: UInt32)? {
    let name = row.cells[.networkName]
    guard let id = row.cells[.adNetworkID].map(\.canonicalNetworkID) else {
      if let name { return (texts.number(of: Self.key(name: name)), TextPool.none) }
      row.note(.adNetworkID, "The row must have an ad_network_id or a network_name.", &findings)
      return nil
    }
    let names = networks.names(of: id)
    if let name, !names.isEmpty, !names.contains(name) {
      let reason = "The network \(id) has the name \(names[0].quotedExcerpt) in networks. Write that name, or none."
      row.note(.networkName, reason, &findings)
      return nil
    }
    let numbers = (name.map { [$0] } ?? names).map { texts.number(of: Self.key(name: $0)) }
    let ofID = texts.number(of: Self.key(id: id))
    guard let first = numbers.first else { return (ofID, TextPool.none) }
    guard name == nil else { return (first, TextPool.none) }
    aliases[ofID] = numbers.dropFirst() + [ofID]
    return (first, ofID)
  }

  private mutating func read(
    _ row: inout LookupRow<CampaignFileColumn>,
    _ network: UInt32,
    _ findings: inout LookupFindings
  ) -> CampaignRow? {
    let kind = row.word(.kind, CampaignRow.Kind.self, &findings)
    let app = row.integer(.appID, in: 1...Int64.max, &findings)
    let sourceApp = row.integer(.sourceAppID, in: 1...Int64.max, &findings)
    let country = row.country(.country, &findings)
    let redownload = row.boolean(.redownload, &findings)
    let targets = targets(&row, &findings)
    let validity = row.validity(from: .validFrom, to: .validTo, &findings)
    let key = row.required(.campaignKey, &findings)
    guard let key, !row.isWrong, let (kind, number) = Self.number(key, kind, &row, &findings), let validity else {
      return nil
    }
    func pair(_ id: CampaignFileColumn, _ name: CampaignFileColumn) -> TextPair {
      TextPair(id: texts.number(of: row.cells[id]), name: texts.number(of: row.cells[name]))
    }
    return CampaignRow(
      key: CampaignRow.Key(
        network: network,
        app: app ?? 0,
        kind: kind,
        number: number,
        country: country,
        sourceApp: sourceApp,
        redownload: redownload
      ),
      validity: validity,
      values: CampaignRow.Values(
        campaign: pair(.campaignID, .campaignName),
        adgroup: pair(.adgroupID, .adgroupName),
        creative: pair(.creativeID, .creativeName),
        placement: texts.number(of: row.cells[.placement]),
        geo: texts.number(of: row.cells[.geo]),
        targets: texts.number(of: row.cells[.targetCountries]),
        target: Set(targets).count == 1 ? targets.first : nil
      ),
      line: row.line
    )
  }

  private func targets(_ row: inout LookupRow<CampaignFileColumn>, _ findings: inout LookupFindings) -> [Country] {
    guard let text = row.cells[.targetCountries] else { return [] }
    var countries: [Country] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard let country = Country(String(part).utf8.span) else {
        let reason = "The countries must be two letters each, such as US or US;CA, but they are \(text.quotedExcerpt)."
        row.note(.targetCountries, reason, &findings)
        return []
      }
      countries.append(country)
    }
    return countries
  }

  /// Returns the number of a key with its kind; nil, with a problem, if it is outside the range of its kind.
  private static func number(
    _ text: String,
    _ kind: CampaignRow.Kind?,
    _ row: inout LookupRow<CampaignFileColumn>,
    _ findings: inout LookupFindings
  ) -> (CampaignRow.Kind, Int)? {
    let isDigits = text.utf8.allSatisfy(\.isDecimalDigit)
    let kind = kind ?? (text.utf8.count > 3 ? .sourceIdentifier : .campaignID)
    switch kind {
    case .campaignID:
      if isDigits, text.utf8.count <= 3, let number = Int(text), (1...100).contains(number) { return (kind, number) }
      let reason = """
        A campaign's number is from 1 to 100, but the key is \(text.quotedExcerpt). If it is a source identifier, give \
        the kind source_identifier, or all four digits.
        """
      row.note(.campaignKey, reason, &findings)
    case .sourceIdentifier:
      if isDigits, (2...4).contains(text.utf8.count), let number = Int(text) { return (kind, number) }
      let reason = "A source identifier has two to four digits, but the key is \(text.quotedExcerpt)."
      row.note(.campaignKey, reason, &findings)
    }
    return nil
  }
}
