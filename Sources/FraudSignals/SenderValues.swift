internal import LookupTables

/// The conversion values of the accepted postbacks that each forwarder sent, by campaign and day, in tables of fixed size.
struct SenderValues: Sendable {
  private var counts: [Key: Counts] = [:]
  /// The counts by day and group, once they are in order.
  private(set) var rows: [(key: Key, counts: Counts)] = []
  private(set) var hours: [Hour: Int32] = [:]
  private(set) var countries: [CountryDay: Int32] = [:]
  /// The only country that a campaign targets; 0 if rows of the lookup tables differ in it.
  private(set) var targets: [Int32: UInt16] = [:]
  private(set) var campaigns = Numbering<Campaign>()
  private(set) var forwarders = Numbering<String>()
  /// The number of postbacks of campaigns that are left out, because there are too many keys.
  private(set) var unfollowed = 0
  /// The campaigns that are counted.
  private var draw = Draw()
  /// The hashes of the campaigns, by their numbers.
  private var hashes: [UInt64] = []

  private static let mostKeys = 150_000

  /// The class of each fine value: narrow ones for low values, which are the most frequent.
  private static let classes: [Int] = [0, 1, 3, 5, 7, 9, 12, 16, 20, 25, 30, 36, 42, 48, 54, 60].enumerated()
    .reduce(into: Array(repeating: 0, count: 64)) { classes, start in
      for value in start.element..<64 { classes[value] = start.offset }
    }

  /// Adds a won postback as a forwarder has sent it, of the people of `segment`. Values are compared with those of other forwarders
  /// unless a witness tells if they are right, which is a device's own copy or another sender with the same value, or the campaign is
  /// one of several.
  mutating func add(_ postback: CountedPostback, of segment: UInt32, hasWitness: Bool) {
    guard let forwarder = postback.forwarder, postback.isWin else { return }
    let coarse = postback.coarse
    // Where there can be no fine value, many write a missing one as 0.
    let isFilled = postback.fine == 0 && (coarse != nil || postback.window > 0)
    let fine = isFilled ? nil : postback.fine
    let campaign = number(
      of: Campaign(app: postback.app, network: postback.network, campaign: postback.campaign)
    )
    if let target = postback.target { note(target, of: campaign) }
    let group = Group(
      campaign: campaign,
      window: postback.window,
      family: postback.family,
      segment: segment,
      model: postback.model
    )
    let key = Key(group: group, forwarder: forwarders.number(of: forwarder), day: DaySeries.day(of: postback.time))
    var new = Counts()
    new.total = 1
    if let fine { new.fine[Self.classes[fine]] = 1 }
    if let coarse { new.coarse[coarse] = 1 }
    if fine == nil, coarse == nil { new.nulls = 1 }
    if !hasWitness, postback.status != .ambiguous { add(key, new) }
    if let time = postback.time, time >= 0 {
      let hour = Hour(
        campaign: campaign,
        forwarder: key.forwarder,
        hour: Int32(clamping: time / 3_600_000)
      )
      add(hour, 1)
    }
    if let country = postback.country {
      add(CountryDay(campaign: campaign, forwarder: key.forwarder, day: key.day, country: country), 1)
    }
  }

  private mutating func number(of campaign: Campaign) -> Int32 {
    let number = campaigns.number(of: campaign)
    if Int(number) == hashes.count { hashes.append(campaign.hash) }
    return number
  }

  private func takes(_ campaign: Int32) -> Bool { draw.takesAll || draw.takes(hashes[Int(campaign)]) }

  private mutating func add(_ hour: Hour, _ count: Int32) {
    guard takes(hour.campaign) else { return }
    hours[hour, default: 0] += count
    shrink()
  }

  private mutating func add(_ day: CountryDay, _ count: Int32) {
    guard takes(day.campaign) else { return }
    countries[day, default: 0] += count
    shrink()
  }

  /// Leaves campaigns out until no table is too large.
  private mutating func shrink() {
    while max(counts.count, hours.count, countries.count) > Self.mostKeys {
      draw.halve()
      leaveOut()
    }
  }

  private mutating func leaveOut() {
    for (key, counts) in counts where !takes(key.group.campaign) { unfollowed += Int(counts.total) }
    let left = Set(campaigns.values.indices.filter { !takes(Int32($0)) }.map { Int32($0) })
    counts = counts.filter { !left.contains($0.key.group.campaign) }
    hours = hours.filter { !left.contains($0.key.campaign) }
    countries = countries.filter { !left.contains($0.key.campaign) }
  }

  private mutating func note(_ target: UInt16, of campaign: Int32) {
    if let known = targets[campaign], known != target { targets[campaign] = 0 } else { targets[campaign] = target }
  }

  private mutating func add(_ key: Key, _ new: Counts) {
    if let place = counts.index(forKey: key) {
      counts.values[place] += new
    } else if takes(key.group.campaign) {
      counts[key] = new
      shrink()
    } else {
      unfollowed += Int(new.total)
    }
  }

  /// Gives campaigns and forwarders numbers in the order of their names, and moves the counts into `rows`, so that sums do not depend
  /// on the order in which they were added.
  mutating func putInOrder() {
    let numbers = NewNumbers(
      campaigns: campaigns.sort { ($0.app, $0.network, $0.campaign) < ($1.app, $1.network, $1.campaign) },
      forwarders: forwarders.sort(by: <)
    )
    hashes = campaigns.values.map(\.hash)
    rows = counts.map { (numbers.key($0.key), $0.value) }
    counts = [:]
    rows.sort { $0.key < $1.key }
    hours = hours.renamed(numbers.hour)
    countries = countries.renamed(numbers.day)
    targets = targets.renamed(numbers.campaign)
  }

  mutating func merge(_ later: Self) {
    draw.formIntersection(later.draw)
    if !draw.takesAll { leaveOut() }
    let numbers = NewNumbers(
      campaigns: later.campaigns.values.map { number(of: $0) },
      forwarders: later.forwarders.values.map { forwarders.number(of: $0) }
    )
    for (key, new) in later.counts { add(numbers.key(key), new) }
    for (hour, count) in later.hours { add(numbers.hour(hour), count) }
    for (day, count) in later.countries { add(numbers.day(day), count) }
    for (campaign, target) in later.targets { note(target, of: numbers.campaign(campaign)) }
    unfollowed += later.unfollowed
  }
}

extension Dictionary {
  /// The dictionary with other keys.
  fileprivate func renamed(_ name: (Key) -> Key) -> Self {
    var renamed = Self(minimumCapacity: count)
    for (key, value) in self { renamed[name(key)] = value }
    return renamed
  }
}

extension SenderValues: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(campaigns, forwarders, draw.mask, unfollowed, targets)
    counts.encode(&writer)
    hours.encode(&writer)
    countries.encode(&writer)
  }

  init(_ reader: inout CompactReader) {
    let mask: UInt64
    (campaigns, forwarders, mask, unfollowed, targets, counts, hours, countries) = reader.values()
    (draw, hashes) = (Draw(mask: mask), campaigns.values.map(\.hash))
  }
}

extension SenderValues {
  /// Adds the rates of countries that a campaign does not target, of the forwarders and networks.
  func addRates(to rates: inout SignalRates) {
    for (day, count) in countries {
      guard let target = targets[day.campaign], target != 0 else { continue }
      let cell = DaySeries.Cell(day: day.day, count: day.country == target ? 0 : count, total: count)
      rates.add(SignalRates.Key(.countries, .forwarder, forwarders.values[Int(day.forwarder)]), cell)
      rates.add(SignalRates.Key(.countries, .network, campaigns.values[Int(day.campaign)].network), cell)
    }
  }

  /// Indicates that two forwarders have sent enough postbacks of one campaign each, also such as are not compared.
  var hasSharedCampaign: Bool {
    struct Sender: Hashable {
      let campaign, forwarder: Int32
    }
    var counts: [Sender: Int32] = [:]
    for (hour, count) in hours {
      counts[Sender(campaign: hour.campaign, forwarder: hour.forwarder), default: 0] += count
    }
    var campaigns: Set<Int32> = []
    return counts.contains { $0.value >= SignalRates.leastRecords && !campaigns.insert($0.key.campaign).inserted }
  }

  /// The campaigns whose target is known.
  var targeted: Set<Campaign> {
    Set(targets.filter { $0.value != 0 }.map { campaigns.values[Int($0.key)] })
  }
}
