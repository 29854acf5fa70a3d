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
    var batches = Measure(
      "verify.batch",
      "BatchVerifier, one thread",
      try rate(of: 100_000, batch),
      .perSecond,
      to: .oneCore
    )
    batches.note = "\(method.rawValue), batches of \(Self.batchSize)"
    let single = Measure(
      "verify.single",
      "PublicKey.verify, one thread",
      try rate(of: 20_000, one),
      .perSecond,
      to: .oneCore
    )
    return [batches, single, try PythonBenchmark.measure(parts, key: base64, in: folder)].compactMap { $0 }
  }

  private func rate(of count: Int, _ verify: (Int) throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try verify(count)
    return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
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
