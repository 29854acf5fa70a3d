internal import Base
internal import ConversionModel
internal import DurableFiles
internal import SyntheticTraffic

/// The options for postbacks of planned campaigns, and the files for reporting beside the dump.
struct CampaignOptions: OptionGroup {
  private let givenCount = Option(
    "--campaigns N",
    "Make the valid lines postbacks of N campaigns, in envelopes; needs --reporting."
  ).value(.integer(in: 1...mostCampaigns))
  private let world = Option(
    "--world NAME",
    "Make campaigns whose traffic differs from the plain one; the default of --campaigns is\nthat of the world. NAME is\n"
      + World.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n")
  ).value(.world)
  private let folder = Option(
    "--reporting DIR",
    "The folder for lookups/, models/ and truth_daily.csv, the true numbers by day\nand campaign."
  ).value(.text, else: "")
  private let hasCosts = Option("--cost", "Write cost.csv and rates.csv into --reporting, too.").isGiven
  private let forwarderEdits = Option(
    "--forwarder-edits SHARE",
    "Share of forwarded conversion values that a forwarder changes, drops or adds; default 0.03."
  ).value(.share, else: 0.03)
  private let days = Option("--days N", "The number of days with installs; default 30.")
    .value(.integer(in: 1...366), else: 30)
  private let end = Option("--until DATE", "The day after the last one with installs; default 2026-04-01.")
    .value(.day, else: standardEnd)
  private let modelPaths = Option.models(
    "The models that give values their revenue; may be repeated. By default\nthey are made."
  )

  /// The first of April 2026, as days since 1970.
  private static let standardEnd: Int64 = 20_544
  /// The greatest number of campaigns, and of campaigns times days.
  private static let (mostCampaigns, mostCampaignDays) = (10_000, 1_000_000)

  private var count: Int? { givenCount ?? world?.campaigns }

  /// Indicates that there are campaigns: that `--campaigns` or `--world` is given.
  var areGiven: Bool { count != nil }

  /// Returns the settings of the campaigns; nil if there are none.
  func settings(with mix: MixOptions) throws -> CampaignSettings? {
    guard let count else { return nil }
    guard !folder.isEmpty else {
      throw CommandFailure(.usage, "--campaigns needs a folder for the files for reporting. Name it with --reporting.")
    }
    guard mix.windows == nil else {
      throw CommandFailure(
        .usage,
        "--windows has no effect with --campaigns, where the activity of users decides. Remove one of them."
      )
    }
    guard count * days <= Self.mostCampaignDays else {
      throw CommandFailure(.usage, "--campaigns times --days is more than \(Self.mostCampaignDays). Lower one of them.")
    }
    if !modelPaths.isEmpty, let world, world.changesModel {
      throw CommandFailure(.usage, "--world \(world.name) makes its models. Remove --models, or take another world.")
    }
    let firstDay = end - Int64(days)
    var apps = mix.apps.isEmpty ? Mix.standardApps : mix.apps
    let models: Models
    var modelText: String?
    if modelPaths.isEmpty {
      let change = world?.changesModel ?? false ? firstDay + Int64(days) / 2 : nil
      let text = CampaignSettings.standardModels(of: Self.unique(apps), change: change)
      modelText = text
      models = try Models(parsing: Array(text.utf8))
    } else {
      models = try Models(loading: modelPaths)
      if mix.apps.isEmpty { apps = models.appIDs }
    }
    let settings = CampaignSettings(
      count: count,
      firstDay: firstDay,
      days: days,
      apps: Self.unique(apps),
      models: models,
      modelText: modelText,
      hasCosts: hasCosts,
      forwarderEdits: forwarderEdits,
      world: world ?? .plain
    )
    try Self.checkModels(of: settings)
    return settings
  }

  private static func unique(_ apps: [Int64]) -> [Int64] {
    apps.indices.filter { !apps[..<$0].contains(apps[$0]) }.map { apps[$0] }
  }

  /// Throws if an app has no model for one of the days.
  private static func checkModels(of settings: CampaignSettings) throws {
    guard !settings.apps.isEmpty else { throw CommandFailure(.usage, "There is no model in --models.") }
    for app in settings.apps {
      for day in settings.firstDay..<settings.firstDay + Int64(settings.days) {
        let noon = Timestamp(milliseconds: day * 86_400_000 + 43_200_000)
        if settings.models.model(appID: app, at: noon) == nil {
          let date = noon.description.prefix(10)
          throw CommandFailure(
            .usage,
            "--models has no model of the app \(app) for installs on \(date). Add one, or give other days with --until."
          )
        }
      }
    }
  }

  /// Creates a hidden file in the folder, and the folders above it.
  func create(_ path: String) throws -> OutputFile {
    let whole = "\(folder)/\(path)"
    let parent = whole.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    _ = try DurableFolder(making: parent)
    return try OutputFile(whole)
  }
}

extension ValueKind<World> {
  /// The name of a world.
  fileprivate static var world: Self {
    Self(throwing: { name in
      if let world = World.named(name) { return world }
      let names = World.all.map(\.name)
      let advice =
        name.nearest(among: names).map { "Did you mean \($0)?" } ?? "Use one of \(names.joined(separator: ", "))."
      throw CommandFailure(.usage, "--world is \(name), but there is no such world. \(advice)")
    })
  }
}
