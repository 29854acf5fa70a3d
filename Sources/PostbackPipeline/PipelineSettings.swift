package import ConversionModel
package import PostbackVerification

/// The settings that decide about records. They may be replaced as one while a pipeline runs; a batch that is being
/// verified or decoded continues with the earlier ones.
package struct PipelineSettings: Sendable {
  /// The public keys that signatures are verified against, and the policy for accepting what they signed.
  package let trust: TrustPolicy
  /// The conversion models that decode conversion values.
  package let models: Models
  /// The limits on the size of records and batches; an input that is being read continues with the earlier ones.
  package let limits: ReadLimits
  /// The verdicts on signatures that were found with `trust`. Where an index knows the valid ones, it has only forgeries.
  let known = VerdictCache()

  /// Creates settings, by default without models and with the default limits.
  package init(trust: TrustPolicy, models: Models = .none, limits: ReadLimits = ReadLimits()) {
    self.trust = trust
    self.models = models
    self.limits = limits
  }
}
