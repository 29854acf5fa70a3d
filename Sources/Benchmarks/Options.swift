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
  /// The number of keys of the index to measure, in the process that is started for it; nil in the main process.
  var indexKeys: Int?

  static let help = """
    Measures postback, and openssl speed beside it.

    Usage: swift run -c release Benchmarks [--postbacks N] [--quick] [--json FILE] [--models PATH] [--diagnosis]

    Options:
      --postbacks N  Postbacks in the generated dump; 400000 unless given, 50000 with --quick.
      --quick        Shorter: nothing at ten times N, no index of ten million keys, openssl for a second each.
      --json FILE    Where the JSON goes; behind the table, as one line, unless given.
      --diagnosis    Only how much of what is edited in generated dumps is recovered, of what is forged, and how long that
                     takes: of N lines in each of seven ways, 250 unless given, and 80 N forgeries.
      --models PATH  Conversion models; Fixtures/models unless given.

    Dumps and tables go to a folder in $TMPDIR, else /tmp, which is removed: about 20 kB for each of the N postbacks, 3 kB with
    --quick. Leave the machine alone meanwhile.
    """

  /// Reads the arguments of the command. Throws if an option or a value is unknown.
  init(_ words: some Sequence<String>) throws(BenchmarkFailure) {
    var words = words.makeIterator()
    var count: Int?
    while let word = words.next() {
      switch word {
      case "--quick": isQuick = true
      case "--diagnosis": measuresDiagnosis = true
      case "--postbacks": count = try Self.integer(words.next(), word, atLeast: 100)
      case Self.indexKeysName: indexKeys = try Self.integer(words.next(), word, atLeast: 1)
      case "--json": jsonPath = try Self.text(words.next(), word)
      case "--models": models = try Self.text(words.next(), word)
      default: throw BenchmarkFailure("there is no option \(word); see --help")
      }
    }
    postbacks = count ?? (measuresDiagnosis ? 250 : isQuick ? 50_000 : 400_000)
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
