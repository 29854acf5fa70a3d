package import Signatures

/// Consecutive lines of a dump, and their rows of the truth file.
package struct GeneratedBatch: Sendable {
  /// The lines of the dump.
  package fileprivate(set) var dump: [UInt8] = []
  /// The rows of the truth file; empty unless they were asked for.
  package fileprivate(set) var truth: [UInt8] = []
}

/// The lines of a dump in order, made by at most `jobs` tasks at once. Memory holds no more batches than tasks.
package struct GeneratedBatches {
  private let planner: LinePlanner
  private let keys: GeneratedKeys
  private let text: LineText
  private let writesTruth: Bool
  private let count: Int
  private let jobs: Int

  private static let linesPerBatch = 1024

  private var nextLine = 1
  /// The batches that are being made, in order.
  private var pending: [Task<Result<GeneratedBatch, LibcryptoFailure>, Never>] = []

  /// Creates the batches of a dump with `count` lines. The same mix, seed and keys give the same bytes on any machine.
  package init(
    _ mix: Mix,
    seed: UInt64,
    keys: GeneratedKeys,
    count: Int,
    hasEnvelopes: Bool = false,
    writesTruth: Bool = false,
    jobs: Int
  ) {
    planner = LinePlanner(mix: mix, seed: seed)
    self.keys = keys
    text = LineText(hasEnvelopes: hasEnvelopes)
    self.writesTruth = writesTruth
    self.count = count
    self.jobs = jobs
  }

  /// Returns the next batch; nil at the end.
  package mutating func next() async throws(LibcryptoFailure) -> GeneratedBatch? {
    while nextLine <= count, pending.count < jobs {
      let lines = nextLine...min(nextLine + Self.linesPerBatch - 1, count)
      nextLine = lines.upperBound + 1
      let (planner, keys, text, writesTruth) = (planner, keys, text, writesTruth)
      pending.append(Task.detached { Self.batch(lines, planner, keys, text, writesTruth: writesTruth) })
    }
    guard !pending.isEmpty else { return nil }
    return try await pending.removeFirst().value.get()
  }

  private static func batch(
    _ lines: ClosedRange<Int>,
    _ planner: LinePlanner,
    _ keys: GeneratedKeys,
    _ text: LineText,
    writesTruth: Bool
  ) -> Result<GeneratedBatch, LibcryptoFailure> {
    do throws(LibcryptoFailure) {
      var batch = GeneratedBatch()
      var signer = try PostbackSigner(keys: keys, seed: planner.seed)
      for line in lines {
        let plan = planner.plan(line)
        text.append(plan, signature: try signer.signature(of: plan), to: &batch.dump)
        if writesTruth { TruthRow(plan: plan).append(to: &batch.truth) }
      }
      return .success(batch)
    } catch {
      return .failure(error)
    }
  }
}
