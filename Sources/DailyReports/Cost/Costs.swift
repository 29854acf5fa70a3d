package import Base
internal import ConversionModel
package import LookupTables
package import Signatures

/// The costs of a file, by day and campaign.
package struct Costs: Sendable {
  /// The rows in the order of their first lines. Rows with equal keys have been added up.
  package private(set) var rows: [CostRow] = []
  /// The number of rows whose network has no row in the lookup tables.
  package private(set) var unmappedRows = 0
  /// The remarks on the file that do not make it unusable.
  package private(set) var warnings: [LookupProblem] = []
  /// The SHA-256 of the file.
  package let digest: SHA256Digest

  /// The path of the file.
  package let path: String
  private(set) var texts = TextPool()
  /// The places of the rows by key.
  private var index = CostIndex()

  /// Loads a file, CSV or JSON.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - networks: The names of networks, for rows that have an id.
  ///   - dates: The notation of dates that are not those of ISO 8601.
  ///   - allowingCredits: True if a cost may be negative.
  /// - Throws: All problems of the file at once.
  package init(
    loading path: String,
    _ networks: Networks,
    dates: LookupDateFormat? = nil,
    allowingCredits: Bool = false
  ) throws(Lookups.Failure) {
    let file: LookupFile
    do { file = try LookupFile(at: path, dates: dates) } catch { throw .file(error) }
    try self.init(file, networks, allowingCredits: allowingCredits)
  }

  init(_ file: LookupFile, _ networks: Networks, allowingCredits: Bool) throws(Lookups.Failure) {
    path = file.path
    do { digest = try file.digest() } catch { throw .libcrypto(error) }
    var reader = CostReader(networks: networks, allowsCredits: allowingCredits)
    var findings = LookupFindings()
    file.read(CostColumn.self, &findings) { row, findings in
      guard let cost = reader.read(&row, &texts, &findings) else { return }
      if !cost.isMapped { unmappedRows += 1 }
      add(cost, &row, &findings)
    }
    do { try findings.throwIfAny() } catch { throw .tables(error) }
    warnings = findings.warnings
    index = CostIndex()
  }

  private mutating func add(
    _ cost: CostRow,
    _ row: inout LookupRow<CostColumn>,
    _ findings: inout LookupFindings
  ) {
    guard let place = index.place(of: cost.key, in: rows) else { return rows.append(cost) }
    rows[place].cost += cost.cost
    rows[place].counts += cost.counts
    let reason = "The row is of the same day and campaign as line \(rows[place].line). Both are added up."
    row.warn(nil, reason, &findings)
  }

  /// The problems of all costs that cannot be converted to a currency, by their descriptions: the numbers of rows.
  package func problems(convertingTo currency: ReportCurrency) -> [String: Int] {
    var problems: [String: Int] = [:]
    for row in rows {
      do throws(ReportCurrency.Problem) {
        _ = try currency.convert(row.cost, from: texts[row.key.currency] ?? "", day: row.key.day)
      } catch {
        problems["\(error)", default: 0] += 1
      }
    }
    return problems
  }

  /// The remarks on rows whose day begins after a report's time: one, of the first row, with their number.
  package func warnings(asOf: Timestamp?) -> [LookupProblem] {
    guard let asOf else { return [] }
    let later = rows.filter { $0.key.day > asOf.daysSince1970 }
    guard let first = later.first else { return [] }
    let count = later.count == 1 ? "The row is" : "This row and \(later.count - 1) others are"
    let reason = "\(count) of a day after \(asOf), the time of the report. The cost is kept; check the date."
    return [LookupProblem(file: path, line: Int(first.line), column: CostColumn.date.rawValue, reason: reason)]
  }
}

/// Reads the rows of a cost file.
private struct CostReader {
  let networks: Networks
  let allowsCredits: Bool
  private let names: Set<String>
  private var unknown: Set<String> = []

  init(networks: Networks, allowsCredits: Bool) {
    self.networks = networks
    self.allowsCredits = allowsCredits
    names = networks.allNames
  }

  /// Reads a row; nil, with a problem, if it is wrong.
  mutating func read(
    _ row: inout LookupRow<CostColumn>,
    _ texts: inout TextPool,
    _ findings: inout LookupFindings
  ) -> CostRow? {
    let time = day(&row, &findings)
    let network = network(&row, at: time, &findings)
    let campaign = row.required(.campaignID, &findings)
    let app = row.integer(.appID, in: 1...Int64.max, &findings)
    let country = row.country(.country, &findings)
    let currency = currency(&row, &findings)
    let cost = cost(&row, &findings)
    let counts = 0...CostCounts.greatest
    let impressions = row.integer(.impressions, in: counts, &findings)
    let clicks = row.integer(.clicks, in: counts, &findings)
    let installs = row.integer(.networkInstalls, in: counts, &findings)
    guard let time, let network, let campaign, let currency, let cost, !row.isWrong else { return nil }
    let key = CostRow.Key(
      day: Timestamp(milliseconds: time).daysSince1970,
      network: texts.number(of: network.name),
      campaign: texts.number(of: campaign),
      adgroup: texts.number(of: row.cells[.adgroupID]),
      app: app,
      country: country,
      currency: texts.number(of: currency)
    )
    let counted = CostCounts(impressions: impressions, clicks: clicks, networkInstalls: installs)
    return CostRow(key: key, isMapped: network.isMapped, cost: cost, counts: counted, line: UInt32(row.line))
  }

  private func day(_ row: inout LookupRow<CostColumn>, _ findings: inout LookupFindings) -> Int64? {
    guard row.required(.date, &findings) != nil, let time = row.date(.date, &findings) else { return nil }
    if time % 86_400_000 == 0 { return time }
    row.note(.date, "The cost must be of a whole day in UTC. Write its date alone, such as 2026-03-01.", &findings)
    return nil
  }

  private mutating func network(
    _ row: inout LookupRow<CostColumn>,
    at time: Int64?,
    _ findings: inout LookupFindings
  ) -> (name: String, isMapped: Bool)? {
    let name = row.cells[.networkName]
    guard let id = row.cells[.adNetworkID] else {
      guard let name else {
        row.note(.adNetworkID, "The row must have an ad_network_id or a network_name.", &findings)
        return nil
      }
      if !names.contains(name) { warnOnce(name, .networkName, row, &findings) }
      return (name, names.contains(name))
    }
    let canonical = id.canonicalNetworkID
    let known = networks.names(of: canonical)
    if let name {
      if known.isEmpty || known.contains(name) { return (name, names.contains(name)) }
      let reason =
        "The network \(canonical) has the name \(known[0].quotedExcerpt) in networks. Write that name, or none."
      row.note(.networkName, reason, &findings)
      return nil
    }
    if let found = time.flatMap({ networks.network(canonical, at: $0)?.name }) ?? known.first { return (found, true) }
    warnOnce(id, .adNetworkID, row, &findings)
    return (id.lowercased(), false)
  }

  private mutating func warnOnce(
    _ network: String,
    _ column: CostColumn,
    _ row: LookupRow<CostColumn>,
    _ findings: inout LookupFindings
  ) {
    guard !names.isEmpty, unknown.insert(network).inserted else { return }
    let reason = "The lookup table networks does not have the network \(network.quotedExcerpt). Its costs are kept."
    row.warn(column, reason, &findings)
  }

  private func currency(_ row: inout LookupRow<CostColumn>, _ findings: inout LookupFindings) -> String? {
    guard let text = row.required(.currency, &findings) else { return nil }
    if CurrencyCodes.all.contains(text) { return text }
    let reason = """
      The currency must be an ISO 4217 code of three capital letters such as USD, but it is \(text.quotedExcerpt).
      """
    row.note(.currency, reason, &findings)
    return nil
  }

  private func cost(_ row: inout LookupRow<CostColumn>, _ findings: inout LookupFindings) -> Amount? {
    guard let text = row.required(.cost, &findings) else { return nil }
    let reason: String
    do throws(AmountDefect) {
      let isCredit = text.hasPrefix("-") && allowsCredits
      let amount = try Amount(parsing: isCredit ? String(text.dropFirst()) : text)
      return isCredit ? -amount : amount
    } catch {
      switch error {
      case .negative: reason = "is negative. Give --allow-credits if it is a credit."
      case .notANumber: reason = "is not a number. Write it with digits and a decimal point, such as 1000.50."
      case .tooLarge: reason = "is 1000000000000000 or more, which is too large."
      case .tooPrecise: reason = "has more than six fraction digits. Round it."
      }
    }
    row.note(.cost, "The cost \(text.quotedExcerpt) \(reason)", &findings)
    return nil
  }
}
