internal import PostbackServer
internal import LookupTables

/// The options of commands that read lookup tables.
struct LookupOptions: OptionGroup {
  private let folder = Option("--lookups DIR", "The folder of the lookup tables.")
    .configured { $0.derived.lookups }.value(.folder)
  /// The notation of dates that are not those of ISO 8601.
  let dates = Option(
    "--date-format FORMAT",
    "MDY also accepts dates such as 9/1/2020 in the lookup tables, the month first."
  ).configured { $0.derived.lookupDates }.value("MDY") { LookupDateFormat(rawValue: $0) }
  private let allowsOverlap = Option("--allow-overlap", "Accept rows of campaigns.csv that contradict each other.")
    .configured { $0.derived.allowsOverlap }.isGiven

  /// Indicates that there is a folder of lookup tables.
  var areGiven: Bool { folder != nil }

  /// Loads the lookup tables, and prints their warnings. There are none if no folder is given.
  func load(_ files: LoadedFiles = LoadedFiles(), isQuiet: Bool = false) throws -> Lookups {
    let key = "lookups \(folder ?? "") \(dates?.rawValue ?? "") \(allowsOverlap)"
    let lookups = try files.value(key) {
      guard let folder else { return try Lookups.none() }
      return try Lookups(in: folder, dates: dates, allowingOverlap: allowsOverlap)
    }
    if !isQuiet { files.warn(key, lookups.warnings) }
    return lookups
  }
}
