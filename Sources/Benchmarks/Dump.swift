internal import Base
internal import DurableFiles
internal import Glibc
internal import PostbackVerification
internal import SKAdNetwork
internal import Signatures
internal import SyntheticTraffic

/// A file of generated postbacks, signed with keys made for it.
struct Dump {
  /// The path of the file.
  var path: String
  /// The number of postbacks in it.
  var count: Int
  /// The number of postbacks that `postback run` accepts: copies and edited ones are rejected.
  var distinctCount: Int
  /// The names of the trusted keys, and their SubjectPublicKeyInfos in base64.
  var keys: [(name: String, base64: String)]

  /// The options with which `postback run` trusts the keys.
  var trustArguments: [String] { keys.flatMap { ["--trust-key", "\($0.name)=\($0.base64)"] } }

  private static let seed: UInt64 = 1

  /// Makes a dump of `count` postbacks of a format with `postback generate`: valid ones, or each with a signed field edited.
  ///
  /// In a process of its own, so that this one stays small: see `ProcessRun.peakMemory`.
  static func generate(
    _ count: Int,
    of format: PostbackFormat = .skAdNetwork(.v4_0),
    areEdited: Bool = false,
    in folder: String,
    by postback: String
  ) throws -> Dump {
    let ending = "-\(format.name)\(areEdited ? "-edited" : "").jsonl"
    let path = "\(folder)/\(count)\(ending)"
    let options = ["--versions", "\(format.name)=1"] + (areEdited ? allOf(.edited) : ["--valid-only"])
    let keys = try GeneratedKeys(seed: seed).trusted
    let dump = Dump(path: path, count: count, distinctCount: areEdited ? 0 : count, keys: keys)
    // Another measure may have made the same one, or one that begins with it.
    if unsafe access(path, R_OK) == 0 { return dump }
    let longer = try Directory.names(in: folder).first { name in
      name.hasSuffix(ending) && Int(name.dropLast(ending.count)) ?? 0 > count
    }
    guard let longer else {
      try write(count, options, to: path, by: postback)
      return dump
    }
    return try Dump(path: "\(folder)/\(longer)", count: count, distinctCount: dump.distinctCount, keys: keys)
      .first(count, to: path)
  }

  /// The options of `postback generate` with which every line is of one kind.
  static func allOf(_ kind: Mix.Share) -> [String] {
    Mix.Share.allCases.flatMap { ["--\($0.rawValue)", $0 == kind ? "1" : "0"] }
  }

  /// Writes a dump with `postback generate`. Returns the options that trust its keys.
  @discardableResult static func write(
    _ count: Int,
    _ options: [String],
    to path: String,
    by postback: String,
    seed: UInt64 = Self.seed
  ) throws -> [String] {
    let keys = "\(path).keys"
    _ = try ProcessRun(
      [postback, "generate", "--count", "\(count)", "--seed", "\(seed)", "--out", path, "--keys", keys, "--quiet"]
        + options
    )
    return try WholeFile.text(of: keys).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Returns the lines of a dump, their rows of the truth file, and the keys.
  static func lines(
    _ mix: Mix,
    _ count: Int
  ) async throws -> (lines: [[UInt8]], truth: [[UInt8]], keys: GeneratedKeys) {
    let keys = try GeneratedKeys(seed: seed)
    var batches = GeneratedBatches(mix, seed: seed, keys: keys, count: count, writesTruth: true, jobs: Machine.cores)
    var (lines, truth): ([[UInt8]], [[UInt8]]) = ([], [])
    while let batch = try await batches.next() {
      lines += batch.dump.split(separator: UInt8(ascii: "\n")).map(Array.init)
      truth += batch.truth.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }
    return (lines, truth, keys)
  }

  /// Returns the dump with an absent source app or source domain of each postback filled in, as some forwarders do.
  func zeroFilled(to path: String) throws -> Dump {
    try FileLines(count, of: self.path).write(0..<count, to: path) { line in
      let hasApp = String(decoding: line, as: UTF8.self).contains("\"source-app-id\"")
      // The brace and the line feed.
      line.removeLast(2)
      line += Array((hasApp ? ",\"source-domain\":\"\"}\n" : ",\"source-app-id\":0}\n").utf8)
    }
    var dump = self
    dump.path = path
    return dump
  }

  /// Returns the dump with `count` further trusted keys.
  func withFurtherKeys(_ count: Int) throws -> Dump {
    var dump = self
    for number in 1...count {
      let key = try SigningKey(random: .p256)
      let base64 = String(decoding: Base64.standard.encode(key.subjectPublicKeyInfo), as: UTF8.self)
      dump.keys.append(("further-\(number)", base64))
    }
    return dump
  }

  /// Returns the dump compressed by gzip.
  func compressed() throws(BenchmarkFailure) -> Dump {
    _ = try ProcessRun(["gzip", "--keep", "--", path])
    var dump = self
    dump.path += ".gz"
    return dump
  }

  /// Returns a dump of the same length in which nine in ten lines are exact copies of others, in an order that depends
  /// on a seed.
  func resent(to path: String) throws -> Dump {
    let distinctCount = max(count / 10, 1)
    var generator = SplitMix64(seed: 1)
    let order = (0..<count).map { $0 % distinctCount }.shuffled(using: &generator)
    try FileLines(distinctCount, of: self.path).write(order, to: path)
    var dump = self
    (dump.path, dump.distinctCount) = (path, distinctCount)
    return dump
  }

  /// Returns a dump of the first postbacks alone.
  func first(_ lines: Int, to path: String) throws -> Dump {
    try FileLines(lines, of: self.path).write(0..<lines, to: path)
    var dump = self
    (dump.path, dump.count, dump.distinctCount) = (path, lines, min(lines, distinctCount))
    return dump
  }

  /// Returns the trust in Apple's keys and those of the dump.
  func trust() throws -> TrustPolicy { try TrustPolicy.apple(and: keys) }

  /// Returns the P-256 key of the dump, and its SubjectPublicKeyInfo in base64.
  func key() throws -> (key: PublicKey, base64: String) {
    let key = try trust().keys.first { $0.environment == .custom && $0.key.curve == .p256 }
    guard let key, let base64 = keys.first(where: { $0.name == key.id })?.base64 else {
      throw BenchmarkFailure("the dump has no key of P-256")
    }
    return (key.key, base64)
  }
}

extension TrustPolicy {
  /// Returns the trust in Apple's keys and others, given by name and SubjectPublicKeyInfo in base64.
  static func apple(and keys: [(name: String, base64: String)]) throws -> TrustPolicy {
    var trust = try TrustPolicy.apple()
    for key in keys { try trust.add(key.name, base64: key.base64) }
    return trust
  }
}
