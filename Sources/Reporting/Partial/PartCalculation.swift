internal import PostbackPipeline

/// A calculation with the digest of its settings.
struct PartCalculation<Calculation: Sendable>: Sendable {
  let calculation: Calculation
  let digest: String

  /// Takes a calculation, and the digest of its settings.
  init(_ calculation: Calculation, digest: String) { (self.calculation, self.digest) = (calculation, digest) }

  func name(_ kind: PartCache.Kind, _ inputs: [String], in cache: PartCache) throws(PipelineFailure) -> String {
    try cache.name(kind, [digest] + inputs)
  }
}
