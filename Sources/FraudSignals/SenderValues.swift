internal import LookupTables

/// The conversion values of the accepted postbacks that each forwarder sent, by campaign and day, in tables of fixed size.
struct SenderValues: Sendable {
  /// A campaign of a network for an app.
  struct Campaign: Hashable, Sendable {
    let app, network, campaign: String

    fileprivate var hash: UInt64 {
      var hash = StableHash()
      for text in [app, network, campaign] { hash.add(text) }
      return hash.value
    }
  }

  /// Postbacks of a campaign that are like each other but for their sender and their day.
  struct Group: Hashable, Sendable {
    /// The number of the campaign.
    var campaign: Int32
    let window, family, form: UInt8
    let model: UInt64

    /// The group of all models: a postback without a value has none.
    var ofAllModels: Self { Self(campaign: campaign, window: window, family: family, form: form, model: 0) }
  }

  struct Key: Hashable, Sendable {
    var group: Group
    /// The number of the forwarder.
    var forwarder: Int32
    let day: Int32
  }

  /// The counts of values: fine ones in 16 classes, coarse ones, and none.
  struct Counts: Sendable {
    // A vector of as many counts has to start at a multiple of its size, and there are 150 000 of them.
    var fine = InlineArray<16, UInt32>(repeating: 0)
    var coarse = InlineArray<3, UInt32>(repeating: 0)
    var nulls: UInt32 = 0
    var total: UInt32 = 0

    static func += (left: inout Self, right: Self) {
      for place in left.fine.indices { left.fine[place] &+= right.fine[place] }
      for place in left.coarse.indices { left.coarse[place] &+= right.coarse[place] }
      left.nulls &+= right.nulls
      left.total &+= right.total
    }

    func histogram(_ measure: ClusterMeasure) -> [Int] {
      switch measure {
      case .fine: (0..<16).map { Int(fine[$0]) }
      case .coarse: (0..<3).map { Int(coarse[$0]) }
      default: [Int(total) - Int(nulls), Int(nulls)]
      }
    }
  }

  /// An hour since 1970 in which postbacks of a campaign came from a forwarder.
  struct Hour: Hashable, Sendable {
    var campaign, forwarder: Int32
    let hour: Int32
  }

  /// A day on which postbacks of a campaign with a country came from a forwarder.
  struct CountryDay: Hashable, Sendable {
    var campaign, forwarder: Int32
    let day: Int32
    let country: UInt16
  }

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

  /// Adds a won postback as a forwarder has sent it.
  mutating func add(_ postback: CountedPostback) {
    guard let forwarder = postback.forwarder, postback.isWin else { return }
    let (fine, coarse) = (postback.fine, postback.coarse)
    let campaign = number(
      of: Campaign(app: postback.app, network: postback.network, campaign: postback.campaign)
    )
    if let target = postback.target { note(target, of: campaign) }
    let group = Group(
      campaign: campaign,
      window: postback.window,
      family: postback.family,
      form: postback.form,
      model: postback.model
    )
    let key = Key(group: group, forwarder: forwarders.number(of: forwarder), day: DaySeries.day(of: postback.time))
    var new = Counts()
    new.total = 1
    if let fine { new.fine[Self.classes[fine]] = 1 }
    if let coarse { new.coarse[coarse] = 1 }
    if fine == nil, coarse == nil { new.nulls = 1 }
    add(key, new)
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
    let newCampaigns = campaigns.sort { ($0.app, $0.network, $0.campaign) < ($1.app, $1.network, $1.campaign) }
    let newForwarders = forwarders.sort(by: <)
    hashes = campaigns.values.map(\.hash)
    func campaign(_ old: Int32) -> Int32 { newCampaigns[Int(old)] }
    func forwarder(_ old: Int32) -> Int32 { newForwarders[Int(old)] }
    rows = counts.map { key, counts in
      var key = key
      (key.group.campaign, key.forwarder) = (campaign(key.group.campaign), forwarder(key.forwarder))
      return (key, counts)
    }
    counts = [:]
    rows.sort { $0.key < $1.key }
    hours = hours.renamed { Hour(campaign: campaign($0.campaign), forwarder: forwarder($0.forwarder), hour: $0.hour) }
    countries = countries.renamed {
      CountryDay(campaign: campaign($0.campaign), forwarder: forwarder($0.forwarder), day: $0.day, country: $0.country)
    }
    targets = targets.renamed { campaign($0) }
  }

  mutating func merge(_ later: Self) {
    draw.formIntersection(later.draw)
    if !draw.takesAll { leaveOut() }
    let movedCampaigns = later.campaigns.values.map { number(of: $0) }
    let movedForwarders = later.forwarders.values.map { forwarders.number(of: $0) }
    func moved(_ campaign: Int32) -> Int32 { movedCampaigns[Int(campaign)] }
    func sender(_ forwarder: Int32) -> Int32 { movedForwarders[Int(forwarder)] }
    for (key, new) in later.counts {
      var key = key
      (key.group.campaign, key.forwarder) = (moved(key.group.campaign), sender(key.forwarder))
      add(key, new)
    }
    for (hour, count) in later.hours {
      let hour = Hour(campaign: moved(hour.campaign), forwarder: sender(hour.forwarder), hour: hour.hour)
      add(hour, count)
    }
    for (day, count) in later.countries {
      let day = CountryDay(
        campaign: moved(day.campaign),
        forwarder: sender(day.forwarder),
        day: day.day,
        country: day.country
      )
      add(day, count)
    }
    for (campaign, target) in later.targets { note(target, of: moved(campaign)) }
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
    campaigns.encode(&writer)
    forwarders.encode(&writer)
    writer.append(draw.mask)
    writer.append(unfollowed)
    writer.append(targets) { writer, target in
      for number in [target.key, Int32(target.value)] { writer.append(number) }
    }
    writer.append(counts) { writer, entry in
      entry.key.encode(&writer)
      entry.value.encode(&writer)
    }
    writer.append(hours) { writer, entry in
      let hour = entry.key
      for number in [hour.campaign, hour.forwarder, hour.hour, entry.value] { writer.append(number) }
    }
    writer.append(countries) { writer, entry in
      let day = entry.key
      for number in [day.campaign, day.forwarder, day.day, Int32(day.country), entry.value] { writer.append(number) }
    }
  }

  init(_ reader: inout CompactReader) {
    (campaigns, forwarders) = (Numbering(&reader), Numbering(&reader))
    hashes = campaigns.values.map(\.hash)
    (draw, unfollowed) = (Draw(mask: reader.hash()), reader.count())
    reader.forEach { targets[$0.integer()] = UInt16(truncatingIfNeeded: $0.count()) }
    reader.forEach { counts[Key(&$0)] = Counts(&$0) }
    reader.forEach { reader in
      let hour = Hour(campaign: reader.integer(), forwarder: reader.integer(), hour: reader.integer())
      hours[hour] = reader.integer()
    }
    reader.forEach { reader in
      let (campaign, forwarder, day) = (
        reader.integer(Int32.self), reader.integer(Int32.self), reader.integer(Int32.self)
      )
      let country = UInt16(truncatingIfNeeded: reader.count())
      countries[CountryDay(campaign: campaign, forwarder: forwarder, day: day, country: country)] = reader.integer()
    }
  }
}

extension SenderValues.Group: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.campaign, left.window, left.family, left.form, left.model)
      < (right.campaign, right.window, right.family, right.form, right.model)
  }
}

extension SenderValues.Key: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.day, left.group, left.forwarder) < (right.day, right.group, right.forwarder)
  }
}

extension SenderValues {
  /// Adds the rates of countries that a campaign does not target, of the forwarders and networks.
  func addRates(to rates: inout SignalRates) {
    for (day, count) in countries {
      guard let target = targets[day.campaign], target != 0 else { continue }
      let cell = DaySeries.Cell(day: day.day, count: day.country == target ? 0 : count, total: count)
      let network = campaigns.values[Int(day.campaign)].network
      for party in [
        SignalParty(kind: .forwarder, name: forwarders.values[Int(day.forwarder)]),
        SignalParty(kind: .network, name: network),
      ] {
        rates.add(SignalRates.Key(name: .countries, party: party), cell)
      }
    }
  }

  /// The campaigns whose target is known.
  var targeted: Set<Campaign> {
    Set(targets.filter { $0.value != 0 }.map { campaigns.values[Int($0.key)] })
  }
}
