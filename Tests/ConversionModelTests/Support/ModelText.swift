import ConversionModel

/// Model files for tests, built from parts.
enum ModelText {
  /// A model; `keys` come first and must end with a comma.
  static func model(
    app: Int = 1,
    id: String = "revenue",
    version: Int = 1,
    from: String = "null",
    to: String = "null",
    keys: String = #""currency":"USD","#,
    windows: String
  ) -> String {
    #"{"app_id":\#(app),"model_id":"\#(id)","version":\#(version),"effective_from":\#(from),"effective_to":\#(to),"#
      + #"\#(keys)"windows":[\#(windows)]}"#
  }

  /// Window 0, in which the fine value 1 means `events`, and the coarse value high the same.
  static func window(_ events: String, keys: String = "") -> String {
    #"{"postback_sequence_index":0,\#(keys)"fine":{"0":[],"1":[\#(events)]},"coarse":{"high":[\#(events)]}}"#
  }

  /// A purchase of an exact amount.
  static func purchase(_ amount: String) -> String {
    #"{"event":"purchase","min_revenue":\#(amount),"max_revenue":\#(amount)}"#
  }

  /// Reads the models of a text.
  static func load(_ text: String) throws(ModelErrors) -> Models {
    try Models(parsing: Array(text.utf8), file: "m.json")
  }
}
