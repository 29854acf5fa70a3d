internal import Signatures

/// Some lines of a dump, and their rows of the truth file.
struct GeneratedBatch: Sendable {
  var dump: [UInt8] = []
  var truth: [UInt8] = []
}

/// The lines of a dump in order, made by at most `jobs` tasks at once. Memory holds no more batches than tasks.
struct GeneratedBatches {
  let planner: LinePlanner
  let keys: GeneratedKeys
  let text: LineText
  let writesTruth: Bool
  let count: Int
  let jobs: Int

  private static let linesPerBatch = 1024

  private var nextLine = 1
  /// The batches in work, in order.
  private var pending: [Task<Result<GeneratedBatch, LibcryptoFailure>, Never>] = []

  init(planner: LinePlanner, keys: GeneratedKeys, text: LineText, writesTruth: Bool, count: Int, jobs: Int) {
    self.planner = planner
    self.keys = keys
    self.text = text
    self.writesTruth = writesTruth
    self.count = count
    self.jobs = jobs
  }

  /// The next batch; nil at the end.
  mutating func next() async throws(LibcryptoFailure) -> GeneratedBatch? {
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
