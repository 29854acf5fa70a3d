import Synchronization
import TestSupport
import Testing

/// The tables of a dump of campaigns in which all edits are frauds of the options, made once for all tests that ask for it.
struct FraudSite: Sendable {
  let folder: TemporaryFolder
  /// The folder of the tables.
  let out: String
  /// The options that trust the dump's keys.
  let keys: [String]

  private static let made = Mutex<[[String]: Task<FraudSite, any Error>]>([:])

  /// Returns the tables of a dump with these options of `generate`, with those that `enrich` and `settle` derive. Tests
  /// only read them.
  static func with(_ options: [String], count: Int = 5000, isDerived: Bool = true) async throws -> FraudSite {
    let task = made.withLock { made in
      let key = options + ["\(count)", "\(isDerived)"]
      let task = made[key] ?? Task { try await FraudSite(options, count: count, isDerived: isDerived) }
      made[key] = task
      return task
    }
    return try await task.value
  }

  private init(_ options: [String], count: Int, isDerived: Bool) async throws {
    folder = try TemporaryFolder()
    out = folder.path("out")
    let (dump, files) = (folder.path("dump"), folder.path("files"))
    try await Self.run(
      ["generate", "--count", "\(count)", "--seed", "4", "--campaigns", "20", "--days", "14", "--reporting", files]
        + ["--out", dump, "--keys", folder.path("keys"), "--forged", "0", "--edited", "0"] + options
    )
    keys = try folder.words(of: "keys")
    try await Self.run(["run", dump, "--models", "\(files)/models", "--out", out] + keys)
    if isDerived {
      try await Self.run(["enrich", out, "--lookups", "\(files)/lookups"])
      try await Self.run(["settle", out, "--lookups", "\(files)/lookups", "--models", "\(files)/models"])
    }
  }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult static func run(_ arguments: [String]) async throws -> String {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(result.errorText)")
    return result.text
  }
}
