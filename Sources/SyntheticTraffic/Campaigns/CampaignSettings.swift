internal import Base
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
  /// The difference from plain traffic.
  package let world: World

  /// The extent with these properties.
  package init(
    count: Int,
    firstDay: Int64,
    days: Int,
    apps: [Int64],
    models: Models,
    modelText: String?,
    hasCosts: Bool,
    forwarderEdits: Double,
    world: World = .plain
  ) {
    (self.count, self.firstDay, self.days, self.apps) = (count, firstDay, days, apps)
    (self.models, self.modelText, self.hasCosts) = (models, modelText, hasCosts)
    (self.forwarderEdits, self.world) = (forwarderEdits, world)
  }

  /// The text of a file with a model for each app: fifteen ranges of revenue in window 0, of which `low` is the one
  /// without revenue, and three in windows 1 and 2. From the day `change` on, there are thirty ranges.
  package static func standardModels(of apps: [Int64], change: Int64? = nil) -> String {
    let changeTime = change.map { Timestamp(milliseconds: $0 * 86_400_000).description }
    let models = apps.flatMap { app in
      let end = changeTime.map { "\"\($0)\"" } ?? "null"
      let first = model(of: app, version: 1, from: "2020-01-01T00:00:00Z", to: end, count: 15, high: 9)
      return [first]
        + (changeTime.map { [model(of: app, version: 2, from: $0, to: "null", count: 30, high: 16)] } ?? [])
    }
    return "[\n" + models.joined(separator: ",\n") + "\n]\n"
  }

  private static func model(
    of app: Int64,
    version: Int,
    from: String,
    to end: String,
    count: Int,
    high: Int
  ) -> String {
    let later = #""kind":"revenue","event":"purchase","thresholds":[0.99,9.99],"open_value":20"#
    return #"""
      {"app_id":\#(app),"model_id":"generated","version":\#(version),"effective_from":"\#(from)","effective_to":\#(end),
       "currency":"USD","windows":[
       {"postback_sequence_index":0,"kind":"revenue","event":"purchase",
        "buckets":{"count":\#(count),"min":0.99,"max":99.99,"scale":"logarithmic"},"open_value":150,
        "coarse_from":{"medium":1,"high":\#(high)}},
       {"postback_sequence_index":1,\#(later)},
       {"postback_sequence_index":2,\#(later)}]}
      """#
  }
}
