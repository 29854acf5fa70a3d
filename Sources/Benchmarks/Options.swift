/// The options of the command line.
struct Options {
  /// The number of postbacks in the dump for the measures; with `--diagnosis`, the number of edited lines of each kind.
  var postbacks: Int
  /// Indicates that the long measures are left out.
  var isQuick = false
  /// The path of the JSON report; nil writes it after the table.
  var jsonPath: String?
  /// The path of the conversion models: a file or a folder.
  var models = "Fixtures/models"
  /// Indicates that only the diagnosis of rejects is measured.
  var measuresDiagnosis = false
  /// Indicates that only resends are measured.
  var measuresResends = false
  /// Indicates that only a run and its stages are measured.
  var measuresStages = false
  /// Indicates that only `postback refresh` is measured.
  var measuresRefresh = false
  /// The names of the measures that are made; nil for all.
  var only: Set<String>?
  /// Indicates that a small set is measured, and compared with the figures of the last release.
  var isGuard = false
  /// The reports to compare, before and after; nil measures.
  var compared: (before: [String], after: [String])?
  /// Indicates that only `postback view` is measured.
  var measuresView = false
  /// The folder of the history for `--view`, which stays; nil for a new one.
  var history: String?
  /// The path of the command `postback`; nil for the one beside this program.
  var postback: String?
  /// The output whose table feed is to be followed; nil measures.
  var feed: String?
  /// The number of ids of the large state to measure; nil if none is measured.
  var stateKeys: Int?
  /// The number of keys of the index to measure, in the process that is started for it; nil in the main process.
  var indexKeys: Int?

  static let help = """
    Measures postback, with openssl speed for comparison.

    Usage: swift build -c release && .build/release/Benchmarks [--postbacks N] [--quick] [--json FILE] [--models PATH]
           [--diagnosis] [--resends] [--stages] [--refresh] [--view [--history DIR]] [--state-keys N] [--postback FILE]
           .build/release/Benchmarks --feed DIR
           .build/release/Benchmarks compare BEFORE[,BEFORE…] AFTER[,AFTER…]
           .build/release/Benchmarks --guard [--json FILE]

    compare reads reports that --json has written, and says which figures changed by more than the noise: the spread of the
    reports of a side, or the drift of openssl during one. Its exit status is 1 if one became worse. --guard measures a
    small set in some minutes, and compares it with Fixtures/benchmarks.json, the figures of the last release, as ratios.

    Options:
      --postbacks N  The number of postbacks in the generated dump; default: 200000, or 50000 with --quick.
      --quick        Leave out the dump of ten times a quarter of N, and the index of ten million keys; run openssl for one second.
      --json FILE    The file for the report as JSON; by default it is one line after the table.
      --only NAME[,NAME]
                     Make only these measures: \(names.joined(separator: ", ")).
      --guard        Measure what is in Fixtures/benchmarks.json, three times, and compare it. With --json, the file becomes
                     the last of these reports.
      --diagnosis    Measure only the diagnosis of rejects: the share of edits that it recovers in generated dumps, its
                     findings on forgeries, and its duration. N is then the number of edited lines of each of seven kinds,
                     by default 250, and there are 80 N forgeries.
      --resends      Measure only exact resends of a million postbacks that an earlier run accepted.
      --stages       Measure only a run with both formats and each of its stages, with the share of what is serial.
      --refresh      Measure only postback refresh: after few new rows, with none, from nothing, and beside watch. N lines have
                     0.7 N accepted postbacks of 60 days; by default N is 1440000.
      --view         Measure only postback view: its answers on a history like that of --refresh, its memory, the script, the first
                     paint in Chromium if there is one, and how fast serve acknowledges with 50 pages beside it.
      --history DIR  With --view, use the history in DIR and leave it there, with the postbacks that are posted. If it has none, it
                     is made.
      --postback FILE
                     The command postback; default is the one beside this program.
      --feed DIR     Measure nothing. Follow skan_postbacks of the output DIR through the table feed, until killed, and print
                     each row after the milliseconds since 1970 at which it came, and a tab.
      --state-keys N Measure only a state with N ids, such as 100000000: 84 bytes of disk each, 36 more while it is made.
      --models PATH  The conversion models; default: Fixtures/models.

    Unless --postback names it, the command postback must be built beside this program, as swift build does. Dumps and
    tables go to a folder in $TMPDIR, or else /tmp, which is removed at the end; they need about 20 kB for each of the N
    postbacks, 3 kB with --quick. Run nothing else on the machine meanwhile.
    """

  /// The names of the measures, for `--only`.
  static let names = [
    "run", "scale", "forgeries", "resends", "startup", "conversion-values", "exactly-once", "rejects", "reporting",
    "index",
    "verification", "stages",
  ]
  /// The measures of `--guard`.
  private static let guarded: Set<String> = ["run", "forgeries", "verification", "rejects", "startup"]

  /// Tells if a measure is made.
  func wants(_ name: String) -> Bool { only?.contains(name) ?? true }

  /// Reads the arguments of the command. Throws if an option or a value is unknown.
  init(_ words: some Sequence<String>) throws(BenchmarkFailure) {
    var words = words.makeIterator()
    var count: Int?
    while let word = words.next() {
      switch word {
      case "--quick": isQuick = true
      case "--diagnosis": measuresDiagnosis = true
      case "--resends": measuresResends = true
      case "--stages": measuresStages = true
      case "--refresh": measuresRefresh = true
      case "--only": only = try Self.only(words.next())
      case "--guard": (isGuard, isQuick, only) = (true, true, Self.guarded)
      case "compare": compared = (try Self.files(words.next(), word), try Self.files(words.next(), word))
      case "--view": measuresView = true
      case "--history": history = try Self.text(words.next(), word)
      case "--postback": postback = try Self.text(words.next(), word)
      case "--postbacks": count = try Self.integer(words.next(), word, atLeast: 100)
      case Self.indexKeysName: indexKeys = try Self.integer(words.next(), word, atLeast: 1)
      case "--state-keys": stateKeys = try Self.integer(words.next(), word, atLeast: 1 << 20)
      case "--json": jsonPath = try Self.text(words.next(), word)
      case "--feed": feed = try Self.text(words.next(), word)
      case "--models": models = try Self.text(words.next(), word)
      default: throw BenchmarkFailure("there is no option \(word); see --help")
      }
    }
    guard history == nil || measuresView else { throw BenchmarkFailure("--history is for --view; see --help") }
    postbacks =
      count ?? (measuresDiagnosis ? 250 : measuresRefresh || measuresView ? 1_440_000 : isQuick ? 50_000 : 200_000)
  }

  private static func files(_ word: String?, _ option: String) throws(BenchmarkFailure) -> [String] {
    try text(word, option).split(separator: ",").map(String.init)
  }

  private static func only(_ word: String?) throws(BenchmarkFailure) -> Set<String> {
    let chosen = Set(try files(word, "--only"))
    if let unknown = chosen.subtracting(names).sorted().first {
      throw BenchmarkFailure("there is no measure \(unknown); --only knows \(names.joined(separator: ", "))")
    }
    return chosen
  }

  /// The internal option that measures the index in this process.
  static let indexKeysName = "--index-keys"

  private static func integer(_ word: String?, _ option: String, atLeast least: Int) throws(BenchmarkFailure) -> Int {
    guard let number = word.flatMap({ Int($0) }), number >= least else {
      throw BenchmarkFailure("\(option) needs an integer of at least \(least)")
    }
    return number
  }

  private static func text(_ word: String?, _ option: String) throws(BenchmarkFailure) -> String {
    guard let word, !word.isEmpty else { throw BenchmarkFailure("\(option) needs a value") }
    return word
  }
}
