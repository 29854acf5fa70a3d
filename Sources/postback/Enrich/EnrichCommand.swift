internal import CampaignEnrichment
internal import CopySettlement
internal import DerivedTables
internal import JSON
internal import LookupTables
internal import Reporting
internal import TableReading

/// `postback enrich`: writes `skan_enriched`, the campaigns of accepted postbacks.
struct EnrichCommand: DerivedCommand {
  struct Options: OptionGroup {
    let lookups = LookupOptions()
    let derived = DerivedOptions.Options()
  }

  static let manual = Manual(
    name: "enrich",
    summary: "Write skan_enriched: the networks, apps and campaigns of accepted postbacks, from lookup tables.",
    usage: "OUT --lookups DIR [--out DIR] [--format FORMAT] [--json] …",
    discussion: """
      OUT is the --out folder of run or watch. DIR has networks.csv, apps.csv, source_apps.csv and campaigns.csv, each
      optional, or the same as .json; docs/reporting.md describes them. The table has a row for each row of skan_postbacks,
      in the same order, and replaces the one of an earlier run as a whole when it is complete. All committed rows
      are read, also while watch goes on.

      Where several rows of campaigns.csv fit a postback, only the values on which they agree are written. The campaign
      that a forwarder added to any copy of a postback is used where the lookup tables have none. The country, the ad
      interaction type and the time of receipt are those of the copy that counts, so run settle before.
      Exit status: 0; 64 usage, 65 a lookup table is wrong or some lines of the tables are not rows, 66 a folder does not
      exist, 73 the table cannot be created, 74 I/O, 75 another process writes the table, or has removed rows meanwhile.
      """,
    options: Options.options,
    example: "postback enrich out --lookups lookups"
  )

  private let lookups: LookupOptions
  let derived: DerivedOptions
  var files = LoadedFiles()

  init(_ arguments: Arguments) throws {
    let arguments = try RememberedOptions.complete(arguments, for: Self.manual)
    derived = try DerivedOptions(arguments)
    lookups = try arguments.read()
    guard lookups.areGiven else {
      throw CommandFailure(.usage, "No folder of lookup tables is given. Name it with --lookups.")
    }
  }

  static var kinds: [PartCache.Kind] { [.enriched] }

  func settingsDigest() throws -> String {
    "\(try lookups.load(files, isQuiet: true).hexadecimalDigest) \(derived.text)"
  }

  func lookedUpFiles() throws -> [LookedUpFile] { try lookups.load(files, isQuiet: true).files }

  func write(in work: DerivedWork, _ progress: ProgressLine) async throws -> DerivedAnswer {
    let lookups = try lookups.load(files)
    let enrichment = try await Enrichment(
      accepted: work.tables.postbacks,
      rejects: work.tables.rejects,
      settled: try TableFiles(derived: .settled, in: work.source(of: .settled)),
      lookups,
      as: derived.encoding,
      into: try DerivedTable(.enriched, derived.encoding, in: work.generation.folder, replacing: work.replacement),
      jobs: derived.jobs,
      cache: work.cache
    )
    return DerivedAnswer(
      text: EnrichAnswer(enrichment: enrichment, digest: lookups.hexadecimalDigest).text,
      json: enrichment.json.description,
      rows: enrichment.summary.total.total,
      unreadable: enrichment.unreadable
    )
  }
}
