package import SKAdNetwork

/// The composition of a dump: the frequency of each kind of line, and the choices for its fields.
package struct Mix: Sendable {
  /// The kinds of line that have a share of their own. All other lines are plain valid postbacks.
  package enum Share: String, CaseIterable, Sendable {
    case forged, edited, duplicate, malformed
    case zeroFilled = "zero-filled"

    /// The default share, from 0 to 1.
    package var standard: Double {
      switch self {
      case .forged, .edited: 0.02
      case .duplicate: 0.05
      case .malformed, .zeroFilled: 0.01
      }
    }
  }

  /// The weights of the formats of postbacks.
  package let formats: Weights<PostbackFormat>
  /// The weights of the conversion windows, for formats with several.
  let windows: Weights<Int64>
  /// The weights of Apple's postback data tiers, for formats with several windows.
  let tiers: Weights<Int>
  /// The shares of all lines, from 0 to 1; the remaining lines are valid.
  let shares: [Share: Double]
  /// The fields that edits may change.
  package let editableFields: [Field]
  /// The kinds of edit that are drawn for edited lines.
  package let editKinds: [EditKind]
  /// The advertised apps.
  let apps: [Int64]

  /// The SKAdNetwork versions after 1.0, which sign the source app, so that a filled-in zero can be told from a signed
  /// one.
  let zeroFilledFormats: Weights<PostbackFormat>
  /// The malformations that apply to at least one of the formats.
  let malformations: [Malformation]

  /// Creates a mix. A choice that is nil is the default one: today's traffic, every signed field, and edits of one value.
  /// A share that is absent is 0.
  package init(
    formats: Weights<PostbackFormat>? = nil,
    windows: Weights<Int64>? = nil,
    tiers: Weights<Int>? = nil,
    shares: [Share: Double] = [:],
    editableFields: [Field]? = nil,
    editKinds: [EditKind]? = nil,
    apps: [Int64]? = nil
  ) {
    let formats = formats ?? Self.standardFormats
    self.formats = formats
    self.windows = windows ?? Weights([(0, 70), (1, 20), (2, 10)])
    self.tiers = tiers ?? Weights([(0, 10), (1, 25), (2, 35), (3, 30)])
    self.shares = shares
    self.editableFields = editableFields ?? PostbackFormat.allCases.flatMap(\.editableFields)
    self.editKinds = editKinds ?? [.value]
    self.apps = apps ?? Self.standardApps
    zeroFilledFormats = formats.filter { format in format.version.map { $0 > .v1_0 } ?? false }
    malformations = Malformation.allCases.filter { malformation in
      formats.choices.contains(where: malformation.applies(to:))
    }
  }

  /// The advertised apps if none are given.
  package static let standardApps: [Int64] = [525_463_029, 1_176_027_022, 1_661_087_323, 10_738_027_756]

  private static let standardFormats = Weights<PostbackFormat>([
    (.skAdNetwork(.v4_0), 70), (.skAdNetwork(.v3_0), 8), (.skAdNetwork(.v2_2), 5), (.skAdNetwork(.v2_1), 4),
    (.skAdNetwork(.v2_0), 1), (.skAdNetwork(.v1_0), 1), (.adAttributionKit, 11),
  ])

  /// Draws the share of a line; nil for a plain valid postback.
  func share(_ random: inout SeededGenerator) -> Share? {
    let place = random.fraction()
    var sum = 0.0
    for share in Share.allCases {
      sum += shares[share] ?? 0
      // A mix without SKAdNetwork 2.0 and later has no field that a zero could be filled into.
      if place < sum { return share == .zeroFilled && zeroFilledFormats.choices.isEmpty ? nil : share }
    }
    return nil
  }
}

/// A list of choices with weights, which are proportional to their frequencies.
package struct Weights<Choice: Hashable & Sendable>: Sendable {
  /// The choices with a positive weight, in order.
  package let choices: [Choice]
  /// The sum of the weights up to each choice.
  private let sums: [Double]

  /// Creates choices with their weights. A choice with weight 0 is never drawn.
  package init(_ weights: [(Choice, Double)]) {
    let positive = weights.filter { $0.1 > 0 }
    choices = positive.map { $0.0 }
    var sum = 0.0
    sums = positive.map { weight in
      sum += weight.1
      return sum
    }
  }

  /// Returns the same weights for the wanted choices only. May be empty.
  func filter(_ isWanted: (Choice) -> Bool) -> Weights {
    var before = 0.0
    var kept: [(Choice, Double)] = []
    for (choice, sum) in zip(choices, sums) {
      if isWanted(choice) { kept.append((choice, sum - before)) }
      before = sum
    }
    return Weights(kept)
  }

  /// Returns the share of a choice, from 0 to 1; 0 if it is never drawn.
  func share(of choice: Choice) -> Double {
    guard let place = choices.firstIndex(of: choice), let sum = sums.last else { return 0 }
    return (sums[place] - (place > 0 ? sums[place - 1] : 0)) / sum
  }

  /// Draws one of the choices. There must be at least one.
  func pick(_ random: inout SeededGenerator) -> Choice {
    let place = random.fraction() * (sums.last ?? 0)
    return choices[sums.firstIndex { place < $0 } ?? choices.count - 1]
  }
}

/// The ad networks, apps, countries, domains and marketplaces that generated postbacks name.
struct Audience: Sendable {
  /// The advertised apps.
  let apps: [Int64]
  /// The ad networks' identifiers without the framework's ending. Some are in capitals, as some real ones are.
  private let networks: [String]
  /// The apps that show the ads.
  private let sourceApps: [Int64]

  /// Draws the audience of a seed.
  init(apps: [Int64], seed: UInt64) {
    var random = SeededGenerator(seed: seed, line: 0, .audience)
    self.apps = apps
    networks = (0..<40).map { index in
      let name = random.networkID()
      return index % 8 == 3 ? name.uppercased() : name
    }
    sourceApps = (0..<300).map { _ in random.storeID() }
  }

  /// Draws an ad network. A few networks get most postbacks.
  func network(_ format: PostbackFormat, _ random: inout SeededGenerator) -> String {
    let name = networks[random.below(random.below(networks.count) + 1)]
    return name + (format == .adAttributionKit ? ".adattributionkit" : ".skadnetwork")
  }

  /// Draws an app that shows ads.
  func sourceApp(_ random: inout SeededGenerator) -> Int64 { random.pick(sourceApps) }

  static let countries = ["US", "DE", "JP", "BR", "GB", "FR", "IN", "KR", "MX", "CA"]
  static let domains = ["example.com", "news.example", "shop.example.org", "games.example.net"]
  static let marketplaces = Field.marketplaceIdentifier.documentedTexts + ["com.example.marketplace"]
}
