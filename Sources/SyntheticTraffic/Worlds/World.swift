/// The properties in which the traffic of a dump differs from plain traffic: of its audience, its values, and the ways in
/// which its postbacks arrive.
///
/// A world is data. Each property is independent of the others, and the default of each is that of plain traffic.
package struct World: Sendable {
  /// The countries of campaigns.
  enum Countries: Sendable {
    /// One to three of all.
    case some
    /// One or two of all.
    case oneOrTwo
    /// Two that only campaigns of the same network have.
    case ofNetwork
  }

  /// The postbacks of which devices send copies to the developer.
  enum DeviceCopies: Sendable {
    /// Those of most apps, of some from a later day on.
    case someApps
    case all, none
    /// Those of the networks with these places in the plan.
    case networks([Int])
    /// Those of versions with several conversion windows, which only later versions of iOS send.
    case laterVersions
  }

  /// The forwarder's ways of one network.
  struct Forwarding: Sendable {
    /// The place of the network in the plan.
    var network: Int
    /// The shortest and the longest delay, in minutes.
    var delay: ClosedRange<Int64> = 1...360
    /// The day of receipt on which the forwarder begins, counted from the first install day.
    var firstDay = 0
    /// The days of receipt on which it forwards nothing.
    var outage: Range<Int> = 0..<0
    /// Indicates that the postbacks of the outage are not sent after it.
    var losesOutage = false
    /// The share of postbacks that it sends again and again, from 0 to 1.
    var resends = 0.0
  }

  /// The name in the option.
  package let name: String
  /// The difference from plain traffic, in a few words.
  package let summary: String

  // MARK: - Campaigns

  /// The number of campaigns, if the option does not give it.
  package var campaigns = 20
  /// The number of ad networks.
  var networks = 4
  var countries = Countries.some
  /// The share of the first network of all traffic, from 0 to 1; nil if chance decides.
  var firstNetworkShare: Double?
  /// Indicates that a network advertises one app only.
  var hasOneAppANetwork = false
  /// Indicates that more users convert in the evening and at the weekend.
  var hasCycles = false
  /// Indicates that two of three campaigns are launched or stopped on a Wednesday.
  var changesMidweek = false

  // MARK: - Users

  var spending = Spending.ofValue
  /// The share of users who pay in window 0, in all campaigns; nil if campaigns differ.
  var payerRate: Double?
  /// The factors of the share of payers, by network in turn.
  var payersByNetwork = [1.0]
  /// Indicates that countries differ in the share of payers.
  var payersFollowCountry = false
  /// Indicates that large crowds have a larger share of payers than small ones.
  var payersFollowCrowd = false
  /// The factor by which the share of payers changes in a week.
  var weeklyDrift = 1.0
  /// The redownloads of a hundred conversions, by network in turn.
  var redownloads = [8]
  /// The share of users whose crowd is smaller than that of their campaign, so that their data tier is 0.
  var smallCrowds = 0.0
  /// The factor of that share for payers.
  var smallCrowdsOfPayers = 1.0
  /// Indicates that the apps have another conversion model from the middle of the days on.
  package var changesModel = false

  // MARK: - Copies

  var deviceCopies = DeviceCopies.someApps
  /// Indicates that each postback of which a device sends a copy is forwarded too.
  var hasBothCopies = false
  /// The places of the networks whose postbacks a measurement partner forwards beside the network itself.
  var partners: [Int] = []
  var forwarding: [Forwarding] = []

  init(_ name: String, _ summary: String, _ change: (inout World) -> Void = { _ in }) {
    (self.name, self.summary) = (name, summary)
    change(&self)
  }

  /// The ways of a network's forwarder; nil for the plain ones.
  func forwarding(of network: Int) -> Forwarding? { forwarding.first { $0.network == network } }

  /// The greatest number of times that a forwarder sends a postback again.
  static let mostResends = 5

  /// The greatest number of copies of a postback.
  var mostCopies: Int {
    let forwarders = partners.isEmpty ? 1 : 2
    return 1 + forwarders + (forwarding.contains { $0.resends > 0 } ? Self.mostResends : 0)
  }
}
