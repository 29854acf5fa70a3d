internal import Base
internal import Glibc
internal import ConversionModel
internal import PostbackPipeline

/// `postback records read`: the framing of a run, for programs that distribute the rest.
struct RecordsReadCommand: Command {
  struct Options: OptionGroup {
    let firstLine = Option("--first-line N", "The number of the first line of standard input; default 1.")
      .value(.integer(in: 1...(1 << 60)), else: 1)
    let name = Option("--source-file NAME", "The source_file of the records; default the path of their input.")
      .value(.text)
    let modified = Option("--file-modified-at TIME", "The file_modified_at of the records of standard input.")
      .value(.time)
    let partitions = Option("--partitions N", "Write blocks of lines, each for one of N partitions.")
      .value(.integer(in: RecordMode.partitions))
    let records = RecordsOptions()
  }

  static let manual = Manual(
    name: "records read",
    summary: "Write the records of inputs as JSON objects with their keys, for records finish.",
    usage: "INPUT… [--first-line N] [--source-file NAME] [--partitions N] [OPTION…]",
    discussion: """
      Finds the records in files as run does, in every format that run reads, and writes a JSON object for each:

        {"postback_key":"…","source_file":"dump.jsonl","source_line":7,"file_modified_at":"2026-11-01T10:00:00Z","record":"{…}"}

      postback_key is null where the record is no postback, which finish rejects. Signatures are not verified yet. A record
      that is not UTF-8 is in record_base64. source_index counts further records that begin on the same line. byte_count and
      sha256 are those of a record that is too large, truncated says why a record is cut, and byte_order_mark marks one.
      file_modified_at is left out if --received-at is given, because finish takes it first.

      A part of a file of JSON Lines is read from standard input, with the number of its first line.

      The key is in the first 49 bytes of each line. A program that distributes lines gives all lines of a key to the same
      records finish, in the order of the inputs. With --partitions it need not look into them: lines come in blocks, each
      behind a line with the number of the partition, from 0, and the size. A key is in the partition of its first 8 digits as
      a number, modulo N.

        {"partition":0,"bytes":81920}
      """,
    options: Options.options,
    example: "postback records read dump.jsonl.gz | postback records finish --models models/ > rows.jsonl"
  )

  private let inputs: [String]
  private let options: Options
  private let mode: RecordMode

  init(_ arguments: Arguments) throws {
    inputs = try arguments.operands(
      orAdvise: "No input is given. Give a file, a folder, or - for standard input."
    )
    options = try arguments.read()
    mode = try options.records.mode()
  }

  func run() async throws {
    let files = try InputFile.enumerate(inputs).map { file in
      var file = file
      if file.path == InputFile.standardInput {
        (file.firstLine, file.modified) = (options.firstLine, options.modified?.milliseconds)
      }
      if options.records.receivedAt.rule.time != nil { file.modified = nil }
      return file
    }
    try await mode.read(files, name: options.name, partitions: options.partitions, RecordsOptions.write)
  }
}

/// `postback records finish`: a run after the framing, for programs that distribute it.
struct RecordsFinishCommand: Command {
  struct Options: OptionGroup {
    let records = RecordsOptions()
    let writesBlocks = Option("--blocks", "Write blocks of rows, as JSON Lines and as CSV, in place of lines.").isGiven
  }

  static let manual = Manual(
    name: "records finish",
    summary: "Verify, deduplicate and decode records, and write the rows of tables.",
    usage: "[--models PATH] [OPTION…] < LINES > ROWS",
    discussion: """
      Reads JSON objects, one a line, as records read writes them. All lines of a postback_key must come to the same process,
      and in the order of the inputs: the first valid copy is accepted, as in run, and the others are duplicates. A line
      without postback_key is one whose record is no postback. record_base64 takes the place of record where the record is
      not UTF-8. A record without a time of its own takes file_modified_at, if its object has one, else --received-at.
      Writes a line for each row:

        {"table":"skan_postbacks","row":{…}}

      The tables are those of run, and seen_keys: a row for each accepted postback. Given before all records, the
      row (without the table around it) makes those of its key duplicates of that earlier postback, so that the rows of
      seen_keys are all that a later batch needs of an earlier one. It is known by its member "seen":true.

      No line is believed: each record is parsed and its signature verified here, but for exact resends, as in run. A
      line that does not fit, or whose key is not that of the postback in it, ends the command with the status 65 and its
      number. Lines that were removed or given twice, and rows of seen_keys, are not found out: protect them as you would
      the state of run. Nothing is kept on disk. In memory a key takes about 40 bytes, its own or that of an earlier batch.

      With --blocks, each batch is a block for each table: a line with the number of rows and the sizes of two texts, then
      the rows as JSON Lines, and then the same rows as CSV without a header, with the columns of postback schema.

        {"table":"skan_postbacks","rows":2,"jsonl_bytes":2210,"csv_bytes":830}

      Keys have no JSON Lines there: the columns of seen_keys are postback_key, content_digest, unsigned_fields,
      unsigned_number.
      """,
    options: Options.options,
    example: "postback records read dump.jsonl.gz | postback records finish --models models/ > rows.jsonl"
  )

  private let mode: RecordMode

  init(_ arguments: Arguments) throws {
    guard arguments.operands.isEmpty else {
      throw CommandFailure(
        .usage,
        "The records are read from standard input; \(arguments.operands[0]) is not expected."
      )
    }
    let options: Options = try arguments.read()
    mode = try options.records.mode(
      models: try Models(loading: options.records.models),
      writesBlocks: options.writesBlocks
    )
  }

  func run() async throws {
    try await mode.finish(RecordsOptions.write)
  }
}

/// The options of `run` that decide about records. Both commands of record mode take the same.
struct RecordsOptions: OptionGroup {
  let models = Option.models("A file or folder of conversion models, for finish. May be repeated.")
  private let trust = TrustOptions()
  let receivedAt = ReceivedAtOptions()
  private let keepsRawBodies = Option.keepRaw.isGiven
  private let keepsAddresses = Option.keepAddresses.isGiven
  private let postbackBytes = Option.postbackBytes()
  private let jobs = Option.jobs(
    "Work on N batches at once; default the number of cores.\nThe result is the same for any N."
  )

  func mode(models: Models = .none, writesBlocks: Bool = false) throws -> RecordMode {
    let limits = postbackBytes.map { ReadLimits(recordBytes: $0) } ?? ReadLimits()
    let trust = try trust.trust()
    TrustOptions.announce(trust)
    return RecordMode(
      settings: PipelineSettings(trust: trust, models: models, limits: limits),
      receivedAt: receivedAt.rule,
      keepsRawBodies: keepsRawBodies,
      keepsAddresses: keepsAddresses,
      writesBlocks: writesBlocks,
      jobs: jobs
    )
  }

  static func write(_ lines: [UInt8]) throws { try OutputFile.standardOutput.write(lines) }
}
