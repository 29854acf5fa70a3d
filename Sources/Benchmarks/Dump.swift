internal import Base
internal import PostbackPipeline
internal import Signatures

/// A file of generated postbacks, signed with keys made for it.
struct Dump {
  /// The path of the file.
  var path: String
  /// The number of postbacks in it.
  var count: Int
  /// The number of postbacks that `postback run` accepts: copies and edited ones are rejected.
  var distinctCount: Int
  /// The options with which `postback run` trusts the keys.
  var trustArguments: [String]

  /// Makes a dump of `count` postbacks of a version with `postback generate`: valid ones, or each with a signed field edited.
  static func generate(
    _ count: Int,
    of version: String = "4.0",
    areEdited: Bool = false,
    in folder: String,
    with postback: String
  ) throws(BenchmarkFailure) -> Dump {
    let path = "\(folder)/\(count)-\(version)\(areEdited ? "-edited" : "").jsonl"
    let keys = "\(path).keys"
    let shares =
      areEdited
      ? ["--edited", "1"] + ["--forged", "--duplicate", "--malformed", "--zero-filled"].flatMap { [$0, "0"] }
      : ["--valid-only"]
    _ = try ProcessRun(
      [postback, "generate", "--versions", "\(version)=1", "--count", "\(count)", "--seed", "1"]
        + ["--out", path, "--keys", keys] + shares
    )
    let arguments = String(decoding: try FileBytes.all(of: keys), as: UTF8.self).split { $0 == " " || $0 == "\n" }
    let distinctCount = areEdited ? 0 : count
    return Dump(path: path, count: count, distinctCount: distinctCount, trustArguments: arguments.map(String.init))
  }

  /// Returns the dump with an absent source app or source domain of each postback filled in, as some forwarders do.
  func zeroFilled(to path: String) throws(BenchmarkFailure) -> Dump {
    let target = try FileBytes(writing: path)
    var bytes: [UInt8] = []
    for line in try FileBytes.all(of: self.path).split(separator: UInt8(ascii: "\n")) {
      let hasApp = String(decoding: line, as: UTF8.self).contains("\"source-app-id\"")
      bytes += line.dropLast()
      bytes += Array((hasApp ? ",\"source-domain\":\"\"}\n" : ",\"source-app-id\":0}\n").utf8)
      guard bytes.count >= 1 << 18 else { continue }
      try target.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try target.write(bytes)
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
      dump.trustArguments += ["--trust-key", "further-\(number)=\(base64)"]
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
  func resent(to path: String) throws(BenchmarkFailure) -> Dump {
    let starts = try lineStarts(max(count / 10, 1))
    let distinctCount = starts.count - 1
    var generator = SplitMix(seed: 1)
    var order = (0..<count).map { UInt32(truncatingIfNeeded: $0 % distinctCount) }
    order.shuffle(using: &generator)
    let source = try FileBytes(reading: self.path)
    let target = try FileBytes(writing: path)
    var bytes: [UInt8] = []
    for line in order {
      let (start, end) = (starts[Int(line)], starts[Int(line) + 1])
      _ = try source.append(end - start, at: start, to: &bytes)
      guard bytes.count >= 1 << 18 else { continue }
      try target.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try target.write(bytes)
    var dump = self
    (dump.path, dump.distinctCount) = (path, distinctCount)
    return dump
  }

  /// Returns a dump of the first postback alone.
  func first(to path: String) throws(BenchmarkFailure) -> Dump {
    var bytes: [UInt8] = []
    _ = try FileBytes(reading: self.path).append(try lineStarts(1)[1], at: 0, to: &bytes)
    try FileBytes(writing: path).write(bytes)
    var dump = self
    (dump.path, dump.count, dump.distinctCount) = (path, 1, 1)
    return dump
  }

  /// Returns the offsets of the first `lines` lines, and of the line after them. Throws if the file has fewer lines.
  func lineStarts(_ lines: Int) throws(BenchmarkFailure) -> [Int] {
    let file = try FileBytes(reading: path)
    var starts = [0]
    var offset = 0
    var bytes: [UInt8] = []
    while starts.count <= lines {
      bytes.removeAll(keepingCapacity: true)
      guard try file.append(1 << 18, at: offset, to: &bytes) > 0 else {
        throw BenchmarkFailure("\(path) has fewer than \(lines) lines")
      }
      for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") && starts.count <= lines {
        starts.append(offset + index + 1)
      }
      offset += bytes.count
    }
    return starts
  }

  /// Returns the trust in Apple's keys and those of the dump.
  func trust() throws -> Trust {
    var trust = try Trust.apple()
    for argument in trustArguments where argument != "--trust-key" {
      let parts = argument.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw BenchmarkFailure("postback generate wrote a key that is not understood") }
      try trust.add(String(parts[0]), base64: String(parts[1]))
    }
    return trust
  }

  /// Returns the P-256 key of the dump, and its SubjectPublicKeyInfo in base64.
  func key() throws -> (key: PublicKey, base64: String) {
    let key = try trust().keys.first { $0.environment == .custom && $0.key.curve == .p256 }
    guard let key, let argument = trustArguments.first(where: { $0.hasPrefix("\(key.id)=") }) else {
      throw BenchmarkFailure("postback generate wrote no key of P-256")
    }
    return (key.key, String(argument.dropFirst(key.id.count + 1)))
  }
}
