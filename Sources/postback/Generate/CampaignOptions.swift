internal import Base
internal import ConversionModel
internal import DurableFiles
internal import SyntheticTraffic

/// The options for postbacks of planned campaigns, and the files for reporting beside the dump.
struct CampaignOptions: Sendable {
  static let options = [
    Option("--campaigns", "N", "Make the valid lines postbacks of N campaigns, in envelopes; needs --reporting."),
    Option(
      "--world",
      "NAME",
      "Make campaigns whose traffic differs from the plain one; the default of --campaigns is\nthat of the world. NAME is\n"
        + World.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n")
    ),
    Option(
      "--reporting",
      "DIR",
      "The folder for lookups/, models/ and truth_daily.csv, the true numbers by day\nand campaign."
    ),
    Option("--cost", nil, "Write cost.csv and rates.csv into --reporting, too."),
    Option(
      "--forwarder-edits",
      "SHARE",
      "Share of forwarded conversion values that a forwarder changes, drops or adds; default 0.03."
    ),
    Option("--days", "N", "The number of days with installs; default 30."),
    Option("--until", "DATE", "The day after the last one with installs; default 2026-04-01."),
    Option(
      "--models",
      "PATH",
      "The models that give values their revenue; may be repeated. By default\nthey are made."
    ),
  ]

  private static let standardEnd = "2026-04-01"
  /// The greatest number of campaigns, and of campaigns times days.
  private static let (mostCampaigns, mostCampaignDays) = (10_000, 1_000_000)

  let settings: CampaignSettings
  /// The folder for the files.
  let folder: String

  /// Reads the options; nil without `--campaigns` and `--world`.
  init?(_ arguments: Arguments) throws(CommandFailure) {
    let world = try Self.world(arguments)
    guard let count = try arguments.integer("--campaigns", in: 1...Self.mostCampaigns) ?? world?.campaigns else {
      for option in Self.options.map(\.name) where option != "--campaigns" && arguments.has(option) {
        throw CommandFailure(
          .usage,
          "\(option) has no effect without --campaigns or --world. Add one of them, or remove this one."
        )
      }
      return nil
    }
    guard let folder = arguments.value("--reporting"), !folder.isEmpty else {
      throw CommandFailure(.usage, "--campaigns needs a folder for the files for reporting. Name it with --reporting.")
    }
    guard !arguments.has("--windows") else {
      throw CommandFailure(
        .usage,
        "--windows has no effect with --campaigns, where the activity of users decides. Remove one of them."
      )
    }
    let days = try arguments.integer("--days", in: 1...366) ?? 30
    guard count * days <= Self.mostCampaignDays else {
      throw CommandFailure(.usage, "--campaigns times --days is more than \(Self.mostCampaignDays). Lower one of them.")
    }
    let end = try arguments.value("--until", "a date, such as 2026-04-01") { Timestamp($0 + "T00:00:00Z") }
    let endDay = end ?? Timestamp(dateOrTime: Self.standardEnd)
    let firstDay = (endDay?.daysSince1970 ?? 0) - Int64(days)
    let paths = arguments.all("--models")
    var apps = try MixOptions.apps(arguments)
    if !paths.isEmpty, let world, world.changesModel {
      throw CommandFailure(.usage, "--world \(world.name) makes its models. Remove --models, or take another world.")
    }
    let models: Models
    var modelText: String?
    do throws(ModelErrors) {
      if paths.isEmpty {
        let change = world?.changesModel ?? false ? firstDay + Int64(days) / 2 : nil
        let text = CampaignSettings.standardModels(of: Self.unique(apps ?? Mix.standardApps), change: change)
        modelText = text
        models = try Models(parsing: Array(text.utf8))
      } else {
        models = try Models(loading: paths)
        apps = apps ?? models.appIDs
      }
    } catch {
      throw CommandFailure(.configuration, lines: error)
    }
    let edits = try arguments.value("--forwarder-edits", "a share from 0 to 1") { text in
      Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
    }
    self.folder = folder
    settings = CampaignSettings(
      count: count,
      firstDay: firstDay,
      days: days,
      apps: Self.unique(apps ?? Mix.standardApps),
      models: models,
      modelText: modelText,
      hasCosts: arguments.has("--cost"),
      forwarderEdits: edits ?? 0.03,
      world: world ?? .plain
    )
    try checkModels()
  }

  private static func world(_ arguments: Arguments) throws(CommandFailure) -> World? {
    guard let name = arguments.value("--world") else { return nil }
    guard let world = World.named(name) else {
      let names = World.all.map(\.name)
      let advice =
        name.nearest(among: names).map { "Did you mean \($0)?" } ?? "Use one of \(names.joined(separator: ", "))."
      throw CommandFailure(.usage, "--world is \(name), but there is no such world. \(advice)")
    }
    return world
  }

  private static func unique(_ apps: [Int64]) -> [Int64] {
    apps.indices.filter { !apps[..<$0].contains(apps[$0]) }.map { apps[$0] }
  }

  /// Throws if an app has no model for one of the days.
  private func checkModels() throws(CommandFailure) {
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
  func create(_ path: String) throws(CommandFailure) -> OutputFile {
    let whole = "\(folder)/\(path)"
    let parent = whole.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    do throws(FileFailure) { _ = try DurableFolder(making: parent) } catch { throw CommandFailure(error) }
    return try OutputFile(whole)
  }
}
