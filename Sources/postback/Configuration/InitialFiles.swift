internal import JSON

/// The files that `postback init` writes.
enum InitialFiles {
  /// The folders, each below the one of the configuration.
  static let folders = ["models", "lookups", "dumps", "spool"]

  /// The paths of the files, each below the folder of the configuration.
  static let names = files(in: "").map(\.name)

  /// Returns the files for a folder, whose path begins at the root: their paths below it, and their texts.
  static func files(in folder: String) -> [(name: String, text: String)] {
    [
      ("models/example.json", model), ("lookups/networks.csv", networks), ("lookups/apps.csv", apps),
      ("lookups/campaigns.csv", campaigns), ("postback.json", configuration(in: folder)),
    ]
  }

  private static func configuration(in folder: String) -> String {
    func path(_ name: String) -> JSONValue { .string("\(folder)/\(name)") }
    let value = JSONValue.object([
      .init("spool", path("spool")), .init("inputs", .array([path("dumps")])), .init("out", path("out")),
      .init("models", .array([path("models")])), .init("lookups", path("lookups")),
      .init("environment", .array([.string("production")])), .init("report", path("report.html")),
    ])
    return value.indented + "\n"
  }

  private static let model = """
    {
      "app_id": 525463029,
      "model_id": "example",
      "version": 1,
      "bundle_id": "com.example.app",
      "effective_from": null,
      "effective_to": null,
      "currency": "USD",
      "windows": [
        {
          "postback_sequence_index": 0,
          "fine": {
            "0": [],
            "1": [{"event": "purchase", "min_revenue": 0.01, "max_revenue": 5}],
            "2": [{"event": "purchase", "min_revenue": 5, "max_revenue": 20}],
            "3": [{"event": "purchase", "min_revenue": 20, "max_revenue": null, "value": 35}]
          },
          "coarse": {
            "low": [],
            "medium": [{"event": "purchase", "min_revenue": 0.01, "max_revenue": 5}],
            "high": [{"event": "purchase", "min_revenue": 5, "max_revenue": null, "value": 15}]
          }
        }
      ]
    }

    """

  private static let networks = """
    ad_network_id,network_name,owner,null_as_zero
    com.example,Example Network,,

    """

  private static let apps = """
    app_id,app_name,bundle_id,direct_copies_since
    525463029,Example App,com.example.app,

    """

  private static let campaigns = """
    network_name,app_id,campaign_key,kind,campaign_id,campaign_name,adgroup_id,adgroup_name,creative_id,target_countries,valid_from,valid_to
    Example Network,525463029,5239,source_identifier,2001,Launch,21,Banner,601,US,,

    """
}
