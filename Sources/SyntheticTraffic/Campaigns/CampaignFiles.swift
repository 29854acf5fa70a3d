internal import Base
internal import ConversionModel

/// A file for reporting that belongs to a dump.
package struct CampaignFile: Sendable {
  /// The path below the folder of the files.
  package let path: String
  /// The content.
  package let bytes: [UInt8]
}

extension CampaignTraffic {
  /// The lookup tables, and the models, costs and rates if there are any. `lineCount` is the number of lines of the dump.
  package func files(lineCount: Int) -> [CampaignFile] {
    var files = [
      CampaignFile(path: "lookups/networks.csv", bytes: networks),
      CampaignFile(path: "lookups/apps.csv", bytes: apps),
      CampaignFile(path: "lookups/source_apps.csv", bytes: sourceApps),
      CampaignFile(path: "lookups/campaigns.csv", bytes: campaigns),
    ]
    if let text = settings.modelText {
      files.append(CampaignFile(path: "models/models.json", bytes: Array(text.utf8)))
    }
    if settings.hasCosts {
      files.append(CampaignFile(path: "cost.csv", bytes: text(of: costs(lineCount: lineCount))))
      files.append(CampaignFile(path: "rates.csv", bytes: rates))
    }
    return files
  }

  private var networks: [UInt8] {
    var text = CSVText(["ad_network_id", "network_name", "null_as_zero"])
    for network in plan.networks {
      text.append([network.id + ".skadnetwork", network.name, network.writesNullAsZero ? "true" : "false"])
    }
    return text.bytes
  }

  private var apps: [UInt8] {
    var text = CSVText(["app_id", "app_name", "direct_copies_since"])
    for app in plan.apps {
      text.append([String(app.id), app.name, app.directCopiesSince.map(Timestamp.name(ofDay:)) ?? ""])
    }
    return text.bytes
  }

  private var sourceApps: [UInt8] {
    var text = CSVText(["source_app_id", "source_app_name"])
    for (index, app) in Set(plan.sourceApps).sorted().enumerated() {
      text.append([String(app), "Publisher \(index + 1)"])
    }
    return text.bytes
  }

  /// Each campaign has a row for SKAdNetwork 3 and before, and one for source identifiers. Rows stay valid for two weeks
  /// after the last day of a campaign, because postbacks that are repeated seem to be of a later day.
  private var campaigns: [UInt8] {
    var text = CSVText([
      "network_name", "app_id", "campaign_key", "kind", "campaign_id", "campaign_name", "target_countries",
      "valid_from", "valid_to",
    ])
    for campaign in plan.campaigns {
      let runsAlways = campaign.days.count == plan.days
      let targets = campaign.countries.choices.map { Audience.countries[$0] }.joined(separator: ";")
      let from = runsAlways ? "" : Timestamp.name(ofDay: plan.firstDay + Int64(campaign.days.lowerBound))
      let to = runsAlways ? "" : Timestamp.name(ofDay: plan.firstDay + Int64(campaign.days.upperBound) + 14)
      let keys = [(String(campaign.campaignNumber), "campaign_id"), (campaign.sourceIdentifier, "source_identifier")]
      for (key, kind) in keys {
        text.append([
          plan.networks[campaign.network].name, String(plan.apps[campaign.app].id), key, kind, campaign.id,
          campaign.name, targets, from, to,
        ])
      }
    }
    return text.bytes
  }

  private func text(of costs: [CampaignCost]) -> [UInt8] {
    var text = CSVText([
      "date", "network_name", "campaign_id", "app_id", "country", "currency", "cost", "impressions", "clicks",
    ])
    for cost in costs {
      let campaign = plan.campaigns[cost.cell.campaign]
      let network = plan.networks[campaign.network]
      text.append([
        Timestamp.name(ofDay: plan.firstDay + Int64(cost.cell.day)), network.name, campaign.id,
        String(plan.apps[campaign.app].id), Audience.countries[cost.cell.country], network.currency ?? "",
        CSVText.amount(cents: cost.cents), String(cost.impressions), String(cost.clicks),
      ])
    }
    return text.bytes
  }

  /// Euros for one dollar on each day, up to that on which the last postbacks arrive.
  private var rates: [UInt8] {
    var text = CSVText(["date", "currency", "rate"])
    var random = SeededGenerator(seed: seed, line: 0, .cost)
    let currencies = Set(settings.models.all.compactMap(\.currency)).subtracting(["USD", "EUR"]).sorted()
    for day in plan.firstDay - 1...plan.firstDay + Int64(plan.days) + 60 {
      let date = Timestamp.name(ofDay: day)
      text.append([date, "USD", "1"])
      text.append([date, "EUR", "0.\(random.integer(in: 9000...9400))"])
      for currency in currencies { text.append([date, currency, "\(random.integer(in: 2...150))"]) }
    }
    return text.bytes
  }
}

extension TrueTotals {
  /// The path of the file of totals, below the folder of the files.
  package static let path = "truth_daily.csv"

  /// Returns the totals as CSV, sorted.
  package func text(of traffic: CampaignTraffic) -> [UInt8] {
    let plan = traffic.plan
    let amounts = [
      "revenue", "observed_revenue", "null_revenue", "unsent_revenue", "currency", "cost", "cost_currency",
    ]
    var text = CSVText(
      ["date_type", "date", "postback_sequence_index", "app_id", "network_name", "campaign_id", "country"]
        + Count.allCases.map(\.rawValue) + amounts
    )
    for key in rows.keys.sorted() {
      guard let row = rows[key] else { continue }
      let campaign = plan.campaigns[Int(key.campaign)]
      let (app, network) = (plan.apps[campaign.app], plan.networks[campaign.network])
      let currency = traffic.settings.models.models(for: app.id).first?.currency
      text.append(
        [
          key.dateType.rawValue, Timestamp.name(ofDay: key.day), String(key.window), String(app.id), network.name,
          campaign.id,
          Audience.countries[Int(key.country)],
        ] + Count.allCases.map { String(row.counts[$0]) } + [
          row.revenue.description, row.observedRevenue.description, row.nullRevenue.description,
          row.unsentRevenue.description, currency ?? "", row.cents.map(CSVText.amount) ?? "",
          row.cents == nil ? "" : network.currency ?? "",
        ]
      )
    }
    return text.bytes
  }
}

/// A CSV text whose cells need no quotes.
private struct CSVText {
  private(set) var bytes: [UInt8] = []

  init(_ header: [String]) { append(header) }

  mutating func append(_ cells: [String]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: cell.utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes hundredths with two decimals.
  static func amount(cents: Int) -> String {
    "\(cents / 100)." + (cents % 100 < 10 ? "0" : "") + "\(cents % 100)"
  }
}
