internal import Signatures

/// The rate of verification alone, on one thread, from digests and DER signatures to verdicts.
struct VerifyBenchmark {
  private let parts: SignedParts
  private let key: PublicKey
  private let base64: String

  private static let batchSize = 4096

  /// Takes the signatures of a dump.
  init(_ dump: Dump) async throws {
    parts = try await SignedParts.parts(of: dump, limit: 100_000)
    (key, base64) = try dump.key()
  }

  /// Measures `BatchVerifier` with its tables built, `PublicKey.verify`, and Python.
  func measures(in folder: String) throws -> [Measure] {
    let method = key.prepare()
    var batches = try rate("verify.batch", "BatchVerifier, one thread", of: 100_000, batch)
    batches.note = "\(method.rawValue), batches of \(Self.batchSize)"
    let single = try rate("verify.single", "PublicKey.verify, one thread", of: 20_000, one)
    return [batches, single, try PythonBenchmark.measure(parts, key: base64, in: folder)].compactMap { $0 }
  }

  private func rate(_ id: String, _ title: String, of count: Int, _ verify: (Int) throws -> Void) throws -> Measure {
    let start = ContinuousClock.now
    try verify(count)
    return Measure(id, title, Double(count) / ((.now - start) / Duration.seconds(1)), .perSecond, to: .oneCore)
  }

  private func batch(_ count: Int) throws {
    var verifier = try BatchVerifier([key])
    for start in stride(from: 0, to: count, by: Self.batchSize) {
      for index in start..<min(start + Self.batchSize, count) {
        let index = index % parts.count
        verifier.add(
          parts.signatures.bytes.span.extracting(parts.signatures.range(index)),
          of: parts.digest(index),
          by: 0
        )
      }
      guard try verifier.verify().allSatisfy({ $0 == .valid }) else { throw Self.notValid }
    }
  }

  private func one(_ count: Int) throws {
    for index in 0..<count {
      let index = index % parts.count
      guard
        try key.verify(parts.signatures.bytes.span.extracting(parts.signatures.range(index)), of: parts.digest(index))
          == .valid
      else { throw Self.notValid }
    }
  }

  private static let notValid = BenchmarkFailure("a valid signature was found not to be")
}

/// ECDSA P-256 verifications a second, as `openssl speed` counts them.
struct OpenSSLSpeed {
  /// On one core.
  var oneCore: Double
  /// On all cores at once.
  var allCores: Double
  /// The difference of two measurements, of their mean; nil for one.
  var drift: Double?

  /// Runs `openssl speed` on one core, then on all, for `seconds` seconds each.
  static func measure(seconds: Int, cores: Int) throws -> OpenSSLSpeed {
    let speed = ["openssl", "speed", "-seconds", "\(seconds)"]
    let oneCore = try verifications(ProcessRun(speed + ["ecdsap256"]))
    let allCores = try verifications(ProcessRun(speed + ["-multi", "\(cores)", "ecdsap256"]))
    return OpenSSLSpeed(oneCore: oneCore, allCores: allCores)
  }

  /// Reads the last column of the row ` 256 bits ecdsa (nistp256)   0.0000s   0.0001s  35908.0  12924.0`.
  private static func verifications(_ run: ProcessRun) throws -> Double {
    let row = run.output.split(separator: "\n").last { $0.contains("ecdsa (nistp256)") }
    guard let rate = row?.split(separator: " ").last.flatMap({ Double($0) }), rate > 0 else {
      throw BenchmarkFailure("openssl speed printed no row for nistp256 that is understood:\n\(run.output)")
    }
    return rate
  }

  /// The mean of a measurement before and one after.
  static func mean(_ before: OpenSSLSpeed, _ after: OpenSSLSpeed) -> OpenSSLSpeed {
    let mean = (before.oneCore + after.oneCore) / 2
    return OpenSSLSpeed(
      oneCore: mean,
      allCores: (before.allCores + after.allCores) / 2,
      drift: (before.oneCore - after.oneCore).magnitude / mean
    )
  }
}
