internal import Base

/// The ad networks, apps and campaigns of a dump, and the volume of each campaign by country and day.
///
/// Only additions, products, quotients and square roots of floating-point numbers are used, which are the same on every
/// machine.
struct MediaPlan: Sendable {
  let networks: [PlannedNetwork]
  let apps: [PlannedApp]
  let campaigns: [PlannedCampaign]
  /// The apps that show the ads.
  let sourceApps: [Int64]
  let days: Int
  let firstDay: Int64
  private let seed: UInt64
  /// The sums of the campaigns' weights up to each.
  private let sums: [Double]

  init(_ settings: CampaignSettings, seed: UInt64) {
    var random = SeededGenerator(seed: seed, line: 0, .mediaPlan)
    self.seed = seed
    days = settings.days
    firstDay = settings.firstDay
    // A network and an app have at most 60 campaigns, because SKAdNetwork 3 numbers campaigns from 1 to 100.
    let world = settings.world
    let most = 60 * (world.hasOneAppANetwork ? 1 : settings.apps.count)
    let least = (settings.count + most - 1) / most
    let networks = (0..<max(min(world.networks, settings.count), least)).map { number in
      PlannedNetwork(number: number, hasPartner: world.partners.contains(number), &random)
    }
    let apps = settings.apps.enumerated().map { PlannedApp(number: $0, id: $1, settings) }
    self.networks = networks
    self.apps = apps
    var campaigns = (0..<settings.count).map { number in
      PlannedCampaign(number: number, networks, apps, settings, &random)
    }
    if let share = world.firstNetworkShare {
      func volume(_ campaigns: [PlannedCampaign]) -> Double {
        campaigns.reduce(0) { $0 + $1.weight * Double($1.days.count) }
      }
      let first = volume(campaigns.filter { $0.network == 0 })
      let factor = share / (1 - share) * (volume(campaigns) - first) / first
      for place in campaigns.indices where campaigns[place].network == 0 { campaigns[place].weight *= factor }
    }
    self.campaigns = campaigns
    sourceApps = (0..<60).map { _ in random.storeID() }
    var sum = 0.0
    sums = campaigns.map { campaign in
      sum += campaign.weight
      return sum
    }
  }

  /// Draws the campaign and the country of a conversion on a day, in proportion to the volumes of that day.
  func cell(day: Int, _ random: inout SeededGenerator) -> CampaignCell {
    while true {
      let place = random.fraction() * (sums.last ?? 0)
      let campaign = min(sums.partitioningIndex { $0 > place }, sums.count - 1)
      let cell = CampaignCell(campaign: campaign, country: campaigns[campaign].countries.pick(&random), day: day)
      // The first campaign runs on all days, so that this ends.
      if random.fraction() < shareOfDay(cell) { return cell }
    }
  }

  /// The volume of a campaign in a country on a day, in a unit of its own.
  func volume(_ cell: CampaignCell) -> Double {
    let campaign = campaigns[cell.campaign]
    return campaign.weight * campaign.countries.share(of: cell.country) * shareOfDay(cell)
  }

  /// The volume of all campaigns on a day.
  func volume(ofDay day: Int) -> Double {
    campaigns.indices.reduce(0) { sum, campaign in
      campaigns[campaign].countries.choices.reduce(sum) { sum, country in
        sum + volume(CampaignCell(campaign: campaign, country: country, day: day))
      }
    }
  }

  /// The part of its greatest volume that a campaign has on a day; 0 if it does not run.
  private func shareOfDay(_ cell: CampaignCell) -> Double {
    guard campaigns[cell.campaign].days.contains(cell.day) else { return 0 }
    let line = (cell.campaign * Audience.countries.count + cell.country) * 4096 + cell.day
    var random = SeededGenerator(seed: seed, line: line, .volume)
    return 0.2 + 0.8 * random.fraction()
  }
}

/// A campaign in a country on a day.
struct CampaignCell: Hashable, Sendable {
  /// The number of the campaign in the plan.
  let campaign: Int
  /// The place of the country in `Audience.countries`.
  let country: Int
  /// The day, counted from the first install day.
  let day: Int
}

/// An ad network of the plan.
struct PlannedNetwork: Sendable {
  /// The id without the framework's ending.
  let id: String
  let name: String
  /// The party that forwards the network's postbacks.
  let forwarder: GeneratedForwarder
  /// The measurement partner that forwards them beside that party; nil for most networks.
  let partner: GeneratedForwarder?
  /// Indicates that the network writes a missing conversion value as 0.
  let writesNullAsZero: Bool
  /// Indicates that the last two digits of the network's source identifiers differ for the campaigns of an app.
  let numbersEndings: Bool
  /// The currency of the costs; nil if the network reports none.
  let currency: String?

  init(number: Int, hasPartner: Bool, _ random: inout SeededGenerator) {
    id = random.networkID()
    name = "Network \(number + 1)"
    forwarder = [.network("network-\(number + 1)"), .adjust, .appsFlyer, .branch][number % 4]
    partner = hasPartner ? [.appsFlyer, .branch][number % 2] : nil
    writesNullAsZero = number % 8 == 3
    numbersEndings = number % 3 != 2
    currency = number % 5 == 4 ? nil : number % 5 == 1 ? "EUR" : "USD"
  }
}

/// A party that forwards postbacks, with the keys that it adds.
enum GeneratedForwarder: Hashable, Sendable {
  /// The ad network itself, which adds nothing.
  case network(String)
  case adjust, appsFlyer, branch

  /// The name in envelopes.
  var name: String {
    switch self {
    case .network(let name): name
    case .adjust: "adjust"
    case .appsFlyer: "appsflyer"
    case .branch: "branch"
    }
  }

  /// The keys that name the campaign of a postback, and the time of forwarding.
  func inlineValues(of campaign: PlannedCampaign, at time: Timestamp) -> [(name: String, value: DraftValue)] {
    let seconds = time.milliseconds / 1000
    let (id, name) = (DraftValue.text(campaign.id), DraftValue.text(campaign.name))
    return switch self {
    case .network: []
    case .adjust: [("adjust-campaign", name), ("adjust-campaign-id", id), ("timestamp", .integer(seconds))]
    case .appsFlyer:
      [
        ("ad-network-campaign-id", id), ("ad-network-campaign-name", name), ("timestamp", .text(String(seconds))),
      ]
    case .branch: [("partner-campaign-id", id), ("partner-campaign-name", name)]
    }
  }
}

/// An advertised app of the plan.
struct PlannedApp: Sendable {
  let id: Int64
  let name: String
  /// The day from which devices send copies of the app's postbacks, as a number of days since 1970; nil if they do not.
  let directCopiesSince: Int64?

  /// Every third app has no copies. The release of another third that sends them comes out after the first days.
  fileprivate init(number: Int, id: Int64, _ settings: CampaignSettings) {
    self.id = id
    name = "App \(number + 1)"
    switch settings.world.deviceCopies {
    case .someApps:
      let start = settings.firstDay + (number % 3 == 1 ? Int64(settings.days) / 2 + 4 : 0)
      directCopiesSince = number % 3 == 2 ? nil : start
    case .all, .networks, .laterVersions: directCopiesSince = settings.firstDay
    case .none: directCopiesSince = nil
    }
  }
}

/// A campaign of the plan.
struct PlannedCampaign: Sendable {
  let id: String
  let name: String
  /// The places of its network and its app in the plan.
  let network, app: Int
  /// The number in SKAdNetwork 3 and before.
  let campaignNumber: Int64
  /// The source identifier with all four digits.
  let sourceIdentifier: String
  /// The least number of digits of the source identifier that tell the campaign from the others of its network and app.
  let tellingDigits: Int
  /// The places in `Audience.countries` of the countries that it targets, with their shares.
  let countries: Weights<Int>
  /// The days on which it runs.
  let days: Range<Int>
  /// The greatest volume, in a unit of its own.
  fileprivate(set) var weight: Double
  /// The share of users who pay in window 0.
  let payerRate: Double
  /// The share of payers who reach the next higher value.
  let continuation: Double
  let viewsOfHundred: Int
  /// The cost of a conversion, in hundredths of the network's currency.
  let centsPerConversion: Int

  fileprivate init(
    number: Int,
    _ networks: [PlannedNetwork],
    _ apps: [PlannedApp],
    _ settings: CampaignSettings,
    _ random: inout SeededGenerator
  ) {
    let (world, all) = (settings.world, settings.days)
    network = number % networks.count
    app = (world.hasOneAppANetwork ? network : number / networks.count) % apps.count
    let place = number / (networks.count * (world.hasOneAppANetwork ? 1 : apps.count))
    campaignNumber = Int64(place + 1)
    let base = network * 1237 + app * 4519
    let hasTellingEndings = networks[network].numbersEndings
    // 37 has no factor in common with 100. In the other case, groups of four have the same two last digits.
    let key = hasTellingEndings ? base + place * 37 % 100 + place * 1300 : base + 700 * place + place / 4
    sourceIdentifier = (key % 10_000).digits(4)
    tellingDigits = hasTellingEndings ? 2 : 3

    var first = random.below(Audience.countries.count)
    var count = 1 + max(random.below(4) - 1, 0)
    var step = 3
    switch world.countries {
    case .some: break
    case .oneOrTwo: count = min(count, 2)
    case .ofNetwork: (first, count, step) = (network * 2, 2, 1)
    }
    countries = Weights(
      (0..<count).map { ((first + $0 * step) % Audience.countries.count, 1 / Double($0 + 1)) }
    )
    let names = countries.choices.map { Audience.countries[$0] }
    id = String(1_000_001 + number)
    name = "Campaign \(number + 1) \(names.joined(separator: " "))"
    let start = number % 2 == 0 ? 0 : random.below(max(all * 2 / 3, 1))
    let end = number % 2 == 0 ? all : min(all, start + max(all / 4, 1) + random.below(max(all / 2, 1)))
    if world.changesMidweek {
      let wednesday = (all / 4..<all * 3 / 4).filter { Calendar.weekday(of: settings.firstDay + Int64($0)) == 3 }
      let change = wednesday.isEmpty ? all / 2 : random.pick(wednesday)
      days = [0..<all, change..<all, 0..<max(change, 1)][number % 3]
    } else {
      days = start..<end
    }
    let rarity = 0.02 + random.fraction()
    weight = 1 / (rarity * rarity.squareRoot())
    payerRate = 0.02 + 0.16 * random.fraction() * random.fraction()
    continuation = 0.6 + 0.25 * random.fraction()
    viewsOfHundred = 10 + random.below(40)
    centsPerConversion = 50 + random.below(350)
  }
}
