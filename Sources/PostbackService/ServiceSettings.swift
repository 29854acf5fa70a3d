package import ConversionModel
internal import PostbackPipeline
package import PostbackServer
package import PostbackVerification

/// The settings of a service that SIGHUP loads anew. They are replaced as one: all of them are valid, or none changes.
package struct ServiceSettings: Sendable {
  /// Loads the settings again.
  package typealias Loader = @Sendable () throws(ReloadFailure) -> ServiceSettings

  /// The settings of the receiver, and the paths that a process uses from its start to its end.
  package let configuration: ServerConfiguration
  /// The public keys that signatures are verified against, and the policy for accepting what they signed.
  package let trust: TrustPolicy
  /// The conversion models.
  package let models: Models
  /// The exchange rates of the conversion value API.
  package let rates: CurrencyRates

  /// Creates settings of these parts.
  package init(_ configuration: ServerConfiguration, trust: TrustPolicy, models: Models, rates: CurrencyRates = .none) {
    self.configuration = configuration
    self.trust = trust
    self.models = models
    self.rates = rates
  }

  /// The settings of the consumer's pipeline.
  var pipeline: PipelineSettings {
    PipelineSettings(trust: trust, models: models, limits: ReadLimits(recordBytes: configuration.postbackBytes))
  }

  /// The conversion value API by the models, the rates and the apps.
  var conversionValueAPI: ConversionValueAPI {
    var api = ConversionValueAPI(
      models: models,
      rates: rates,
      appIDs: configuration.apps,
      sdkKeys: configuration.sdkKeys
    )
    api.answersTests = configuration.answersConversionValueTests
    return api
  }

  /// The endpoint with the meanings of conversion values.
  var schemaRoutes: SchemaRoutes { SchemaRoutes(models, tokens: configuration.schemaTokens) }

  /// Logs that these settings have replaced those of the start, and which of them need another start.
  func logReload(to log: Log, since start: ServiceSettings, receives: Bool, consumes: Bool) {
    let added = trust.keys.filter(\.isAdded)
    let custom = added.count { $0.environment == .custom }
    log.info(
      "reloaded",
      "the settings were replaced",
      [
        "models": .integer(Int64(models.all.count)), "custom_keys": .integer(Int64(custom)),
        "apple_keys": .integer(Int64(added.count - custom)),
        "forwarders": .integer(Int64(configuration.forwarders.count)),
      ]
    )
    let fixed = configuration.fixedKeys(changedFrom: start.configuration, receives: receives, consumes: consumes)
    if !fixed.isEmpty {
      log.warning("restart_needed", "changes of \(fixed.joined(separator: ", ")) take effect with the next start")
    }
  }
}

/// The reason that settings were not replaced.
package struct ReloadFailure: Error {
  /// The reason as one or more sentences, on one line.
  package let reason: String

  /// Creates a failure with this reason.
  package init(_ reason: String) { self.reason = reason }

  /// Logs that the settings in use stay in use.
  func log(to log: Log) { log.error("reload_failed", "nothing was replaced: \(reason)") }
}
