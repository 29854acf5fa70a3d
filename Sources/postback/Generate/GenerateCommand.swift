internal import SyntheticTraffic

/// The command `postback generate`: synthetic signed dumps, with the expected outcome of each line.
struct GenerateCommand: Command {
  struct Options: OptionGroup {
    let count = Option("--count N", "The number of lines.").value(.integer(in: 0...1_000_000_000_000))
    let dumpPath = Option("-o, --out FILE", "The file for the dump, or - for standard output, which is the default.")
      .value(.text, else: OutputFile.standardOutputPath)
    let truthPath = Option("--truth FILE", "The file for the expected outcome of each line, as JSON Lines.")
      .value(.text)
    let keysPath = Option("--keys FILE", "The file for the options that trust the keys, on one line.").value(.text)
    let seed = Option("--seed S", "The seed, an integer below 2^64. The default is a random one, which is printed.")
      .value("an integer from 0 to \(UInt64.max)") { UInt64($0) }
    let hasEnvelopes = Option(
      "--envelopes",
      "Put each postback in a receiver's envelope, with time, channel and forwarder."
    ).isGiven
    let jobs = Option.jobs("The number of batches signed at once; by default the number of cores.")
    let mix = MixOptions()
    let campaigns = CampaignOptions()
    let frauds = FraudOptions()
  }

  static let manual = Manual(
    name: "generate",
    summary: "Make a synthetic dump of signed postbacks, valid and invalid, with generated keys.",
    usage: "--count N [--out FILE|-] [--truth FILE] [--keys FILE] [--seed S] …",
    discussion: """
      Writes JSON Lines, one postback on each line. With --truth it also writes, for each line, the outcome that postback
      run must reach: accepted or the reject code, and the change that was made to the postback: the field, its signed
      value (original) and its present value (edited), and further_field and so on if a second field was edited. With
      --edit-kind signature these values name the form in which the signature is written. The public keys are printed to
      standard error as options with which run trusts them. The same seed and options give the same bytes on any machine.

      With --campaigns the valid lines are postbacks of campaigns: of users who convert on some days, after Apple's timers
      and data tiers, as copies of devices and of forwarders. The lookup tables, the models and the true numbers by day
      and campaign go into the folder --reporting, and --truth has the true value of each postback. Each --fraud adds a fraud
      of one party, and truth_fraud.csv in --reporting names every line that it made, changed or removed.

      Exit status: 0 done, 64 usage, 70 libcrypto, 73 a file exists or cannot be created, 74 I/O.
      """,
    options: Options.options,
    example: """
      postback generate --count 100000 --seed 1 --out dump.jsonl --truth truth.jsonl --keys keys
        postback run dump.jsonl $(cat keys) --received-at 2026-03-10T00:00:00Z --out out
        postback generate --count 100000 --campaigns 50 --cost --reporting campaigns --out traffic.jsonl
        postback generate --count 100000 --campaigns 50 --reporting case --fraud inflate-coarse,forwarder=adjust,share=0.5
      """
  )

  private let options: Options
  private let count: Int
  private let seed: UInt64
  private let mix: Mix
  private let campaigns: CampaignSettings?

  init(_ arguments: Arguments) throws {
    if let operand = arguments.operands.first {
      throw CommandFailure(.usage, "generate reads no input, but \(operand) was given")
    }
    options = try arguments.read()
    guard let count = options.count else {
      throw CommandFailure(.usage, "give --count, the number of postbacks to make")
    }
    self.count = count
    let paths = [options.dumpPath, options.truthPath, options.keysPath].compactMap { $0 }
    guard !paths.contains(""), Set(paths).count == paths.count else {
      throw CommandFailure(.usage, "--out, --truth and --keys must be different files")
    }
    seed = options.seed ?? .random(in: 0 ... .max)
    if let unused = CampaignOptions.options.first(where: { arguments.has($0.name) }), !options.campaigns.areGiven {
      throw CommandFailure(
        .usage,
        "\(unused.name) has no effect without --campaigns or --world. Add one of them, or remove this one."
      )
    }
    campaigns = try options.campaigns.settings(with: options.mix)
    try options.frauds.check(with: options.campaigns)
    mix = try options.mix.mix(standardApps: campaigns?.apps ?? Mix.standardApps)
  }

  func run() async throws {
    let keys = try GeneratedKeys(seed: seed)
    let dump = try OutputFile(options.dumpPath)
    let truth = try options.truthPath.map { try OutputFile($0) }
    let keysFile = try options.keysPath.map { try OutputFile($0) }

    let traffic = campaigns.map { CampaignTraffic($0, mix, seed: seed) }
    if let traffic { try options.frauds.check(in: traffic) }
    var files: [OutputFile] = []
    var totalsFile: OutputFile?
    var fraudFile: OutputFile?
    if let traffic {
      for file in traffic.files(lineCount: count) {
        files.append(try options.campaigns.create(file.path))
        try files.last?.write(file.bytes)
      }
      totalsFile = try options.campaigns.create(TrueTotals.path)
      if !options.frauds.scenarios.isEmpty {
        fraudFile = try options.campaigns.create(GeneratedBatches.fraudPath)
        try fraudFile?.write(GeneratedBatches.fraudHeader)
      }
    }

    let trustOptions = keys.trusted.map { "--trust-key \($0.name)=\($0.base64)" }
    if options.seed == nil { Terminal.announce("--seed \(seed)") }
    for option in trustOptions { Terminal.announce(option) }
    try keysFile?.write(Array((trustOptions.joined(separator: " ") + "\n").utf8))

    var batches = GeneratedBatches(
      mix,
      seed: seed,
      keys: keys,
      count: count,
      campaigns: traffic,
      frauds: options.frauds.scenarios,
      hasEnvelopes: options.hasEnvelopes,
      writesTruth: options.truthPath != nil,
      jobs: options.jobs
    )
    var totals = TrueTotals()
    while let batch = try await batches.next() {
      try dump.write(batch.dump)
      try truth?.write(batch.truth)
      try fraudFile?.write(batch.fraud)
      totals.add(batch.totals)
    }
    if let traffic {
      totals.addCosts(of: traffic, lineCount: count)
      try totalsFile?.write(totals.text(of: traffic))
    }
    // The dump comes last, so that a dump is never without the others.
    for file in files + [totalsFile, fraudFile, keysFile, truth, dump] { try file?.publish() }
  }
}
