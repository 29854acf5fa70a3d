extension SenderValues {
  /// A campaign of a network for an app.
  struct Campaign: Hashable, Sendable {
    let app, network, campaign: String

    var hash: UInt64 {
      var hash = StableHash()
      for text in [app, network, campaign] { hash.add(text) }
      return hash.value
    }
  }

  /// Postbacks of a campaign that are like each other but for their sender and their day.
  struct Group: Hashable, Sendable {
    /// The number of the campaign.
    var campaign: Int32
    let window, family: UInt8
    let segment: UInt32
    let model: UInt64

    /// The group of all models: a postback without a value has none.
    var ofAllModels: Self { Self(campaign: campaign, window: window, family: family, segment: segment, model: 0) }
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

    /// The counts by the values that a measure compares. With `zeroIsMissing`, a fine value of 0 is the same as none.
    func histogram(_ measure: ClusterMeasure, zeroIsMissing: Bool = false) -> [Int] {
      switch measure {
      case .fine: return (0..<16).map { Int(fine[$0]) + (zeroIsMissing && $0 == 0 ? Int(nulls) : 0) }
      case .coarse: return (0..<3).map { Int(coarse[$0]) }
      default:
        let missing = Int(nulls) + (zeroIsMissing ? Int(fine[0]) : 0)
        return [Int(total) - missing, missing]
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

  /// The numbers that campaigns and forwarders get in place of those that they had.
  struct NewNumbers {
    let campaigns, forwarders: [Int32]

    func campaign(_ old: Int32) -> Int32 { campaigns[Int(old)] }

    private func forwarder(_ old: Int32) -> Int32 { forwarders[Int(old)] }

    func key(_ old: Key) -> Key {
      var key = old
      (key.group.campaign, key.forwarder) = (campaign(old.group.campaign), forwarder(old.forwarder))
      return key
    }

    func hour(_ old: Hour) -> Hour {
      Hour(campaign: campaign(old.campaign), forwarder: forwarder(old.forwarder), hour: old.hour)
    }

    func day(_ old: CountryDay) -> CountryDay {
      CountryDay(
        campaign: campaign(old.campaign),
        forwarder: forwarder(old.forwarder),
        day: old.day,
        country: old.country
      )
    }
  }
}

extension SenderValues.Group: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.campaign, left.window, left.family, left.segment, left.model)
      < (right.campaign, right.window, right.family, right.segment, right.model)
  }
}

extension SenderValues.Key: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.day, left.group, left.forwarder) < (right.day, right.group, right.forwarder)
  }
}
