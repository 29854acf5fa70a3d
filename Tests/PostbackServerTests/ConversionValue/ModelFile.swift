/// Builds the texts of model files from rows.
enum ModelFile {
  /// Returns an event of a row, without revenue.
  static func event(_ name: String, _ minimum: Int, _ maximum: Int?) -> String {
    #"{"event":"\#(name)","min_count":\#(minimum),"max_count":\#(maximum.map(String.init) ?? "null")}"#
  }

  /// Returns revenue from any number of purchases, in [`minimum`, `maximum`); without an upper limit if `maximum` is nil.
  static func revenue(_ minimum: String, _ maximum: String?) -> String {
    let range = maximum.map { #""max_revenue":\#($0)"# } ?? #""max_revenue":null,"value":\#(minimum)"#
    return #"{"event":"purchase","min_count":0,"max_count":null,"min_revenue":\#(minimum),\#(range)}"#
  }

  /// Returns window 0. Each row lists the events of one fine or coarse value.
  static func window0(_ fine: [String], coarse: [String], keys: String = "") -> String {
    let fine = fine.enumerated().map { #""\#($0)":[\#($1)]"# }.joined(separator: ",")
    return #"{"postback_sequence_index":0,\#(keys)"fine":{\#(fine)},"coarse":\#(self.coarse(coarse))}"#
  }

  /// Returns window 1 or 2. Each row lists the events of one coarse value.
  static func window(_ index: Int, _ rows: [String], keys: String = "") -> String {
    #"{"postback_sequence_index":\#(index),\#(keys)"coarse":\#(coarse(rows))}"#
  }

  /// Returns a model of the app 1, `com.example.app`, in US dollars.
  static func model(
    version: Int = 1,
    from: String = "null",
    to: String = "null",
    keys: String = "",
    _ windows: [String]
  ) -> String {
    #"{"app_id":1,"bundle_id":"com.example.app","model_id":"m","version":\#(version),"effective_from":\#(from),"#
      + #""effective_to":\#(to),"currency":"USD",\#(keys)"windows":[\#(windows.joined(separator: ","))]}"#
  }

  private static func coarse(_ rows: [String]) -> String {
    "{" + zip(["low", "medium", "high"], rows).map { #""\#($0)":[\#($1)]"# }.joined(separator: ",") + "}"
  }
}
