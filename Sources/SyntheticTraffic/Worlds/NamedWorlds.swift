extension World {
  /// The world without any difference.
  package static let plain = World("plain", "Campaigns as without this option.")

  /// The world of a name; nil if there is none.
  package static func named(_ name: String) -> World? { all.first { $0.name == name } }

  /// All worlds.
  package static let all: [World] = [
    plain,

    // Audiences
    World("network-countries", "Each network has countries of its own.") { $0.countries = .ofNetwork },
    World("few-countries", "Campaigns target one country or two.") { $0.countries = .oneOrTwo },
    World("dominant-network", "One network has 80 % of the traffic.") { $0.firstNetworkShare = 0.8 },
    World("one-app-networks", "Each network advertises one app.") { $0.hasOneAppANetwork = true },
    World("many-networks", "12 networks have 60 campaigns.") { ($0.networks, $0.campaigns) = (12, 60) },
    World("cycles", "More users convert in the evening and at the weekend.") { $0.hasCycles = true },
    World("midweek-launches", "Campaigns are launched and stopped on Wednesdays.") { $0.changesMidweek = true },
    World("redownloads", "Networks differ in their share of redownloads.") { $0.redownloads = [4, 30, 12, 8] },
    World("better-network", "One network has three times the payers of the others.") {
      $0.payersByNetwork = [1, 3, 1, 1]
    },

    // Values
    World("lognormal-revenue", "Users' revenue is lognormal, with a median for each campaign.") {
      $0.spending = .lognormal(sigma: 1.2)
    },
    World("pareto-revenue", "Users' revenue has a Pareto tail of 1.8.") { $0.spending = .pareto(shape: 1.8) },
    World("rare-payers", "1.5 % of the users pay; lognormal revenue.") {
      ($0.payerRate, $0.spending) = (0.015, .lognormal(sigma: 1.2))
    },
    World("missing-at-random", "A fifth of all crowds is too small for a value, whatever the users do.") {
      $0.smallCrowds = 0.2
    },
    World("missing-payers", "The same, and payers lose their values twice as often.") {
      ($0.smallCrowds, $0.smallCrowdsOfPayers) = (0.2, 2)
    },
    World("crowd-cells", "Payers differ by country, and with the crowd of campaign, country and day.") {
      ($0.payersFollowCountry, $0.payersFollowCrowd) = (true, true)
    },
    World("model-change", "All apps have another conversion model from the middle on.") { $0.changesModel = true },
    World("drift", "The share of payers grows by a fifth each week.") { $0.weeklyDrift = 1.2 },

    // Copies
    World("device-copies", "Every postback comes from the device and from the forwarder.") {
      ($0.deviceCopies, $0.hasBothCopies) = (.all, true)
    },
    World("no-device-copies", "All copies come from forwarders.") { $0.deviceCopies = .none },
    World("device-copies-of-networks", "Devices send copies of two networks only.") {
      $0.deviceCopies = .networks([0, 2])
    },
    World("device-copies-of-versions", "Devices send copies of 4.0 and AdAttributionKit only.") {
      $0.deviceCopies = .laterVersions
    },
    World("two-forwarders", "A network and a partner both forward; devices send copies.") {
      ($0.deviceCopies, $0.hasBothCopies, $0.partners) = (.all, true, [0, 1])
    },
    World("slow-forwarder", "One forwarder takes up to three days.") {
      $0.forwarding = [Forwarding(network: 1, delay: 120...4320)]
    },
    World("late-start", "One forwarder begins a week after the others.") {
      $0.forwarding = [Forwarding(network: 1, firstDay: 10)]
    },
    World("outage-2-days-lost", "One forwarder loses two days.") {
      $0.forwarding = [Forwarding(network: 1, outage: 14..<16, losesOutage: true)]
    },
    World("outage-2-days-late", "One forwarder sends two days later.") {
      $0.forwarding = [Forwarding(network: 1, outage: 14..<16)]
    },
    World("outage-12-days-lost", "One forwarder loses twelve days.") {
      $0.forwarding = [Forwarding(network: 1, outage: 10..<22, losesOutage: true)]
    },
    World("outage-12-days-late", "One forwarder sends twelve days later.") {
      $0.forwarding = [Forwarding(network: 1, outage: 10..<22)]
    },
    World("retry-storm", "One forwarder sends 30 % of its postbacks up to five times again.") {
      $0.forwarding = [Forwarding(network: 1, resends: 0.3)]
    },
  ]
}
