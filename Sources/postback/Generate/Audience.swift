/// The ad networks, apps, countries, domains and marketplaces that generated postbacks name.
struct Audience: Sendable {
  /// The advertised apps.
  let apps: [Int64]
  /// The ad networks' identifiers without the framework's ending. Some are in capitals, as some real ones are.
  private let networks: [String]
  /// The apps that show the ads.
  private let sourceApps: [Int64]

  /// Makes the audience of a seed.
  init(apps: [Int64], seed: UInt64) {
    var random = SeededGenerator(seed: seed, line: 0, .audience)
    self.apps = apps
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    networks = (0..<40).map { index in
      let name = String((0..<10).map { _ in random.pick(alphabet) })
      return index % 8 == 3 ? name.uppercased() : name
    }
    sourceApps = (0..<300).map { _ in random.storeID() }
  }

  /// Draws an ad network. A few networks get most postbacks.
  func network(_ form: PostbackForm, _ random: inout SeededGenerator) -> String {
    let name = networks[random.below(random.below(networks.count) + 1)]
    return name + (form == .adAttributionKit ? ".adattributionkit" : ".skadnetwork")
  }

  /// Draws an app that shows ads.
  func sourceApp(_ random: inout SeededGenerator) -> Int64 { random.pick(sourceApps) }

  static let countries = ["US", "DE", "JP", "BR", "GB", "FR", "IN", "KR", "MX", "CA"]
  static let domains = ["example.com", "news.example", "shop.example.org", "games.example.net"]
  static let conversionTypes = ["download", "redownload", "re-engagement"]
  static let marketplaces = ["com.apple.AppStore", "com.example.marketplace"]
  static let impressionTypes = ["app-impression", "web-impression"]
}
