internal import Base
internal import Glibc
internal import ConversionModel
internal import DurableFiles
internal import PostbackPipeline
internal import PostbackVerification

/// `postback records read`: the framing of a run, for programs that distribute the rest.
struct RecordsReadCommand: Command {
  struct Options: OptionGroup {
    let firstLine = Option("--first-line N", "The number of the first line of standard input; default 1.")
      .value(.integer(in: 1...(1 << 60)), else: 1)
    let name = Option("--source-file NAME", "The source_file of the records; default the path of their input.")
      .value(.text)
    let modified = Option("--file-modified-at TIME", "The file_modified_at of the records of standard input.")
      .value(.time)
    let records = RecordsOptions()
  }

  static let manual = Manual(
    name: "records read",
    summary: "Write the records of inputs as JSON objects, for records verify.",
    usage: "INPUT… [--first-line N] [--source-file NAME] [OPTION…]",
    discussion: """
      Finds the records in files as run does, in every format that run reads, and writes a JSON object for each:

        {"source_file":"dump.jsonl","source_line":7,"file_modified_at":"2026-11-01T10:00:00Z","record":"{…}"}

      A record that is not UTF-8 is in record_base64. source_index counts further records that begin on the same line.
      byte_count and sha256 are those of a record that is too large, truncated says why a record is cut, and
      byte_order_mark marks one. file_modified_at is left out if --received-at is given, because verify takes it first.

      A part of a file of JSON Lines is read from standard input, with the number of its first line.
      """,
    options: Options.options,
    example: "postback records read dump.jsonl.gz | postback records verify > verified.jsonl"
  )

  private let inputs: [String]
  private let options: Options
  private let mode: RecordMode

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard !arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "No input is given. Give a file, a folder, or - for standard input.")
    }
    inputs = arguments.operands
    options = try arguments.read()
    mode = try options.records.mode()
  }

  func run() async throws(CommandFailure) {
    let files = try InputFile.found(at: inputs).map { file in
      var file = file
      if file.path == InputFile.standardInput {
        (file.firstLine, file.modified) = (options.firstLine, options.modified?.milliseconds)
      }
      if options.records.receivedAt.rule.time != nil { file.modified = nil }
      return file
    }
    do { try await mode.records(of: files, name: options.name, RecordsOptions.write) } catch {
      throw CommandFailure(of: error)
    }
  }
}

/// `postback records verify`: the first half of a run, for programs that distribute it.
struct RecordsVerifyCommand: Command {
  static let manual = Manual(
    name: "records verify",
    summary: "Verify records, one JSON object a line, and write a line for each.",
    usage: "[OPTION…] < RECORDS > VERIFIED",
    discussion: """
      Reads JSON objects, one a line, as records read writes them or another program:

        {"source_file":"dump.jsonl","source_line":7,"record":"{…}"}

      record_base64 takes the place of record where the record is not UTF-8. A record without a time of its own takes
      file_modified_at, if its object has one, else --received-at. A record of white space is none.

      Writes an object for each record, in order. An accepted one has its postback_key, the position, the record, the
      verdict (key_id, signature_state, signed_layout), and what deduplication compares (content_digest, unsigned_fields,
      unsigned_number). A rejected one has a null postback_key, the position, and its row of skan_rejects. With
      --line-secret-file the last member of each is line_mac, the HMAC-SHA256 of the line's bytes before it.

      Sort the lines by postback_key, those of a key by position, and give them to records finish with the same options.
      Nothing is kept on disk. A line that is no such object ends the command with the status 65 and its number.
      """,
    options: VerdictOptions.options,
    example: "postback records read dump.jsonl | postback records verify > verified.jsonl"
  )

  private let mode: RecordMode

  init(_ arguments: Arguments) throws(CommandFailure) {
    try RecordsOptions.refuseOperands(arguments)
    mode = try arguments.read(VerdictOptions.self).mode()
  }

  func run() async throws(CommandFailure) {
    do { try await mode.verify(RecordsOptions.write) } catch { throw CommandFailure(of: error) }
  }
}

/// `postback records finish`: the second half of a run, for programs that distribute it.
struct RecordsFinishCommand: Command {
  struct Options: OptionGroup {
    let verdict = VerdictOptions()
    let writesBlocks = Option("--blocks", "Write blocks of rows, as JSON Lines and as CSV, in place of lines.").isGiven
  }

  static let manual = Manual(
    name: "records finish",
    summary: "Deduplicate and decode verified records, and write the rows of tables.",
    usage: "[--models PATH] [OPTION…] < SORTED > ROWS",
    discussion: """
      Reads the lines of records verify, sorted by postback_key and within it by position: source_file in the order of the
      inputs, source_line, source_index. The first of a key is accepted, as in run, and the others are duplicates. Rejects
      are passed on. Writes a line for each row:

        {"table":"skan_postbacks","row":{…}}

      The tables are those of run, and seen_keys: a row for each accepted postback. Given before the records of its key, the
      row (without the table around it) makes them duplicates of that earlier postback, so that the rows of seen_keys are
      all that a later batch needs of an earlier one. It is known by its member "seen":true; a line that has neither that
      nor a record is refused.

      A verdict is believed only if its line_mac shows that verify wrote the line with the same --line-secret-file, and
      nobody changed a byte of it since. Without this option each signature is verified again, which takes as long as in
      verify, and the rows of rejects are passed on as they are. Lines that do not fit, that are not sorted by key, or that
      verify cannot have written with these options, end the command with the status 65 and their number.

      Rows of seen_keys have no line_mac, and neither option finds a line that was removed or given twice: protect them as
      you would the state of run.

      The key is in the first 49 bytes of each line, and verify keeps the order of its input. So where the lines are in the
      order of the inputs, a stable sort by these bytes is enough, as in the example; it takes rows of seen_keys too, before
      the lines. A sort by all bytes would put line 10 before line 9.

      With --blocks, each batch is a block for each table: a line with the number of rows and the sizes of two texts, then
      the rows as JSON Lines, and then the same rows as CSV without a header, with the columns of postback schema.

        {"table":"skan_postbacks","rows":2,"jsonl_bytes":2210,"csv_bytes":830}

      Rejects that are passed on have no CSV, and keys have no JSON Lines: the columns of seen_keys are postback_key,
      content_digest, unsigned_fields, unsigned_number.
      """,
    options: Options.options,
    example: """
      LC_ALL=C sort --stable --key=1.1,1.49 verified.jsonl \\
          | postback records finish --models models/ > rows.jsonl
      """
  )

  private let mode: RecordMode

  init(_ arguments: Arguments) throws(CommandFailure) {
    try RecordsOptions.refuseOperands(arguments)
    let options: Options = try arguments.read()
    mode = try options.verdict.mode(
      models: try Models(checking: options.verdict.records.models),
      writesBlocks: options.writesBlocks
    )
  }

  func run() async throws(CommandFailure) {
    do { try await mode.finish(RecordsOptions.write) } catch { throw CommandFailure(of: error) }
  }
}

/// The options of `run` that decide about records. All commands of record mode take the same.
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

  static func refuseOperands(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.isEmpty else {
      throw CommandFailure(
        .usage,
        "The records are read from standard input; \(arguments.operands[0]) is not expected."
      )
    }
  }

  func mode(
    models: Models = .none,
    secret: LineSecret? = nil,
    writesBlocks: Bool = false
  ) throws(CommandFailure) -> RecordMode {
    let limits = postbackBytes.map { ReadLimits(recordBytes: $0) } ?? ReadLimits()
    let trust = try trust.trust()
    TrustOptions.announce(trust)
    return RecordMode(
      settings: PipelineSettings(trust: trust, models: models, limits: limits),
      receivedAt: receivedAt.rule,
      keepsRawBodies: keepsRawBodies,
      keepsAddresses: keepsAddresses,
      secret: secret,
      writesBlocks: writesBlocks,
      jobs: jobs
    )
  }

  static func write(_ lines: [UInt8]) throws { try OutputFile.standardOutput.write(lines) }
}

/// The options of the commands that write or read verdicts.
struct VerdictOptions: OptionGroup {
  let records = RecordsOptions()
  private let secretFile = Option(
    "--line-secret-file FILE",
    "A secret of \(LineSecret.shortest) bytes or more, the same for verify and finish, which proves that verify wrote a line."
  ).value(.text)

  func mode(models: Models = .none, writesBlocks: Bool = false) throws(CommandFailure) -> RecordMode {
    try records.mode(models: models, secret: try secret(), writesBlocks: writesBlocks)
  }

  /// Reads the secret, less the line ends after it.
  private func secret() throws(CommandFailure) -> LineSecret? {
    guard let path = secretFile else { return nil }
    var bytes: [UInt8]
    do throws(FileFailure) { bytes = try WholeFile.read(path, upTo: 4096) } catch { throw CommandFailure(of: error) }
    while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard let secret = LineSecret(bytes) else {
      throw CommandFailure(
        .configuration,
        "The file \(path) holds \(bytes.count) bytes. A secret must have \(LineSecret.shortest) bytes or more."
      )
    }
    return secret
  }
}
