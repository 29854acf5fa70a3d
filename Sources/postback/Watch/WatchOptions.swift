internal import Base
internal import PostbackPipeline

/// The options of the commands that consume a spool.
enum WatchOptions {
  static let options =
    [
      Option("--delete", nil, "Delete files that are done instead of moving them to SPOOL/done."),
      Option("--rescan-ms", "N", "Look for files at least this often, in milliseconds; 5000 unless given."),
      Option("--part-seconds", "N", "A part is complete when it is N seconds old; 300 unless given."),
    ] + TablesOptions.options + TrustOptions.options + ReceivedAtOptions.options + [
      Option("--max-postback-bytes", "N", "Larger records are rejected as too_large; 65536 unless given."),
      Option("--jobs", "N", "Batches worked on at once; as many as there are cores unless given."),
    ]

  /// Returns the settings of a consumer as the options give them.
  static func consumer(
    _ arguments: Arguments,
    spool: String,
    models: [String]
  ) throws(CommandFailure) -> ConsumerOptions {
    var tables = try TablesOptions.tables(arguments)
    tables.partAge = .seconds(try arguments.integer("--part-seconds", in: 1...31_536_000) ?? 300)
    return ConsumerOptions(
      spool: spool,
      settle: nil,
      deletes: arguments.has("--delete"),
      leavesWhenEmpty: false,
      rescan: .milliseconds(try arguments.integer("--rescan-ms", in: 10...3_600_000) ?? 5000),
      tables: tables,
      state: TablesOptions.state(arguments, tables),
      models: models,
      trust: try TrustOptions.trust(arguments),
      receivedAt: try ReceivedAtOptions.rule(arguments),
      limits: try postbackBytes(arguments).map { ReadLimits(recordBytes: $0) } ?? ReadLimits(),
      jobs: try arguments.jobs(),
      log: try ServiceOptions.log(arguments),
      metricsFile: try ServiceOptions.metricsFile(arguments)
    )
  }

  /// Returns the largest size of a postback, in bytes; nil if the option is absent.
  static func postbackBytes(_ arguments: Arguments) throws(CommandFailure) -> Int? {
    try arguments.integer("--max-postback-bytes", in: 1024...(64 << 20))
  }
}
