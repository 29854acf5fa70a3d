package import PostbackPipeline

/// A calculation with the digest of its settings.
package struct PartCalculation<Calculation: Sendable>: Sendable {
  package let calculation: Calculation
  package let digest: String

  /// Takes a calculation, and the digest of its settings.
  package init(_ calculation: Calculation, digest: String) { (self.calculation, self.digest) = (calculation, digest) }

  package func name(_ kind: PartCache.Kind, _ inputs: [String], in cache: PartCache) throws(PipelineFailure) -> String {
    try cache.name(kind, [digest] + inputs)
  }
}
