package import PostbackPipeline

extension TableFiles {
  /// Rows of records that are larger than `run` keeps unless told to are rare, and of more than 32 MiB not read.
  static let limits = ReadLimits(recordBytes: 32 << 20)

  /// Reads all rows in batches of some thousands, `jobs` batches at once. `work` turns each batch into a part, and
  /// `take` receives the parts in order. Only the batches at work are held in memory.
  package func scan<Part: Sendable>(
    jobs: Int,
    _ work: @escaping @Sendable (RawBatch) -> Part,
    take: (Part) -> Void
  ) async throws(PipelineFailure) {
    let leftOut = leftOut
    let parts = PostbackReader(inputs: inputs, limits: Self.limits).mappedConcurrently(jobs) { batch in
      (work(leftOut.isEmpty ? batch : batch.removing(leftOut)), batch.origins)
    }
    var iterator = parts.makeAsyncIterator()
    var meter = ReadingMeter(self)
    while let (part, origins) = try await iterator.next() {
      take(part)
      meter.add(origins)
    }
  }
}
