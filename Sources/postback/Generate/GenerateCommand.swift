internal import Signatures

/// The command `postback generate`: synthetic signed dumps, with the expected outcome of each line.
struct GenerateCommand: Command {
  static let manual = Manual(
    name: "generate",
    summary: "Make a synthetic dump of signed postbacks, good and bad ones, with keys made on the spot.",
    usage: "--count N [--out FILE|-] [--truth FILE] [--keys FILE] [--seed S] …",
    discussion: """
      Writes JSON Lines, a postback a line, and with --truth for each line what postback run has to make of it: accepted
      or the reject code, and what was done to the postback: the field, what was signed (original) and what stands there
      instead (edited), and further_field and so on where a second was edited. Of --edit-kind signature it is how the
      signature is written. The public keys are printed to standard error as the options by which run trusts them. The
      same seed and options give the same bytes on any machine. Exit status: 0, 64 usage, 70 libcrypto, 73 a file cannot
      be created or is there already, 74 I/O.
      """,
    options: [
      Option("--count", "N", "Lines."),
      Option("--out", "FILE", "Where the dump goes; - is standard output, as it is unless given.", short: "-o"),
      Option("--truth", "FILE", "Where what is true of each line goes, as JSON Lines."),
      Option("--keys", "FILE", "Where the options go that trust the keys, on one line."),
      Option("--seed", "S", "The seed, an integer below 2^64. Unless given a random one, which is printed."),
      Option("--envelopes", nil, "Put each postback in a receiver's envelope, with time, channel and forwarder."),
      Option("--jobs", "N", "Batches signed at once; as many as there are cores unless given."),
    ] + MixOptions.options,
    example: """
      postback generate --count 100000 --seed 1 --out dump.jsonl --truth truth.jsonl --keys keys
        postback run dump.jsonl $(cat keys) --received-at 2026-03-10T00:00:00Z --out out
      """
  )

  private let count: Int
  private let dumpPath: String
  private let truthPath: String?
  private let keysPath: String?
  private let seed: UInt64
  private let isSeedRandom: Bool
  private let hasEnvelopes: Bool
  private let jobs: Int
  private let mix: Mix

  init(_ arguments: Arguments) throws(CommandFailure) {
    if let operand = arguments.operands.first {
      throw CommandFailure(.usage, "generate reads no input, but was given \(operand)")
    }
    guard let count = try arguments.integer("--count", in: 0...1_000_000_000_000) else {
      throw CommandFailure(.usage, "give --count, how many postbacks to make")
    }
    self.count = count
    dumpPath = arguments.value("--out") ?? GeneratedFile.standardOutputPath
    truthPath = arguments.value("--truth")
    keysPath = arguments.value("--keys")
    let paths = [dumpPath, truthPath, keysPath].compactMap { $0 }
    guard !paths.contains(""), Set(paths).count == paths.count else {
      throw CommandFailure(.usage, "--out, --truth and --keys have to be different files")
    }
    let given = try arguments.value("--seed", "an integer from 0 to \(UInt64.max)") { UInt64($0) }
    isSeedRandom = given == nil
    seed = given ?? .random(in: 0 ... .max)
    hasEnvelopes = arguments.has("--envelopes")
    jobs = try arguments.jobs()
    mix = try MixOptions.mix(arguments, seed: seed)
  }

  func run() async throws(CommandFailure) {
    let keys: GeneratedKeys
    do throws(LibcryptoFailure) { keys = try GeneratedKeys(seed: seed) } catch { throw Self.failure(error) }
    let dump = try GeneratedFile(dumpPath)
    var truth: GeneratedFile?
    if let truthPath { truth = try GeneratedFile(truthPath) }
    var keysFile: GeneratedFile?
    if let keysPath { keysFile = try GeneratedFile(keysPath) }

    if isSeedRandom { Terminal.announce("--seed \(seed)") }
    for argument in keys.trustArguments { Terminal.announce(argument) }
    try keysFile?.write(Array((keys.trustArguments.joined(separator: " ") + "\n").utf8))

    var batches = GeneratedBatches(
      planner: LinePlanner(mix: mix, seed: seed),
      keys: keys,
      text: LineText(hasEnvelopes: hasEnvelopes),
      writesTruth: truthPath != nil,
      count: count,
      jobs: jobs
    )
    while let batch = try await Self.next(&batches) {
      try dump.write(batch.dump)
      try truth?.write(batch.truth)
    }
    // The dump last: where it is, the others are.
    for file in [keysFile, truth, dump] { try file?.publish() }
  }

  private static func next(_ batches: inout GeneratedBatches) async throws(CommandFailure) -> GeneratedBatch? {
    do throws(LibcryptoFailure) { return try await batches.next() } catch { throw failure(error) }
  }

  private static func failure(_ error: LibcryptoFailure) -> CommandFailure { CommandFailure(.software, "\(error)") }
}
