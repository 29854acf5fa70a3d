package import ConversionModel

/// The extent of the campaigns that a dump is made of.
package struct CampaignSettings: Sendable {
  /// The number of campaigns.
  package let count: Int
  /// The first day of installs, as a number of days since 1970-01-01.
  package let firstDay: Int64
  /// The number of days with installs.
  package let days: Int
  /// The advertised apps.
  package let apps: [Int64]
  /// The models that give the apps' conversion values their revenue. They cover all days of all apps.
  package let models: Models
  /// The text of the models, to be written beside the dump; nil if the operator has them.
  package let modelText: String?
  /// Indicates that the campaigns have costs.
  package let hasCosts: Bool
  /// The share of forwarded conversion values that a forwarder changes, drops or adds, from 0 to 1.
  package let forwarderEdits: Double

  /// The extent with these properties.
  package init(
    count: Int,
    firstDay: Int64,
    days: Int,
    apps: [Int64],
    models: Models,
    modelText: String?,
    hasCosts: Bool,
    forwarderEdits: Double
  ) {
    self.modelText = modelText
    self.count = count
    self.firstDay = firstDay
    self.days = days
    self.apps = apps
    self.models = models
    self.hasCosts = hasCosts
    self.forwarderEdits = forwarderEdits
  }

  /// The text of a file with a model for each app: fifteen ranges of revenue in window 0, of which `low` is the one
  /// without revenue, and three in windows 1 and 2.
  package static func standardModels(of apps: [Int64]) -> String {
    let later = #""kind":"revenue","event":"purchase","thresholds":[0.99,9.99],"open_value":20"#
    let models = apps.map { app in
      #"""
      {"app_id":\#(app),"model_id":"generated","version":1,"effective_from":"2020-01-01T00:00:00Z","effective_to":null,
       "currency":"USD","windows":[
       {"postback_sequence_index":0,"kind":"revenue","event":"purchase",
        "buckets":{"count":15,"min":0.99,"max":99.99,"scale":"logarithmic"},"open_value":150,
        "coarse_from":{"medium":1,"high":9}},
       {"postback_sequence_index":1,\#(later)},
       {"postback_sequence_index":2,\#(later)}]}
      """#
    }
    return "[\n" + models.joined(separator: ",\n") + "\n]\n"
  }
}
