package import PostbackPipeline

extension TableFiles {
  /// Rows of records that are larger than `run` keeps unless told to are rare, and of more than 32 MiB not read.
  static let limits = ReadLimits(recordBytes: 32 << 20)

  /// Reads all rows, some thousands at a time and `jobs` batches at once, and hands what `work` makes of each batch to
  /// `take`, in order. Holds no more than those batches.
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
