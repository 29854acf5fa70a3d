import TestSupport

/// Random model files, of windows that list their values, or of kinds with coarse values of their own.
enum RandomFile {
  /// A model of that app.
  static func text(app: Int, using random: inout SplitMix) -> String {
    var writer = Writer(random: random)
    let text = writer.model(app)
    random = writer.random
    return text
  }

  private struct Writer {
    var random: SplitMix

    mutating func model(_ app: Int) -> String {
      var windows: [String] = []
      for index in 0...2 {
        for type in ["", "install", "re-engagement"] where chance(index == 0 && type.isEmpty ? 1 : 0.3) {
          windows.append(window(index, type))
        }
      }
      var members = [
        #""app_id":\#(app),"model_id":"m","version":1,"effective_from":null,"currency":"USD""#,
        #""windows":[\#(windows.joined(separator: ","))]"#,
      ]
      if chance(0.5) { members.append(#""reengagement":\#(pick(["true", "false"]))"#) }
      if chance(0.5) { members.append(#""measurement_hours":\#(pick(["1", "24", "100"]))"#) }
      return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func window(_ index: Int, _ type: String) -> String {
      var members = [#""postback_sequence_index":\#(index)"#]
      if !type.isEmpty { members.append(#""conversion_type":"\#(type)""#) }
      if chance(0.3) { members.append(#""cumulative":true"#) }
      if chance(0.3) { members.append(#""lock_window":\#(lockRule())"#) }
      let isKind = chance(0.3)
      if isKind { members.append(#""kind":"funnel","steps":[\#(pick([#""a""#, #""a","b""#]))]"#) }
      if index == 0 {
        if !isKind, chance(0.8) { members.append(#""fine":\#(values((0...63).map(String.init)))"#) }
        if chance(0.5) { members.append(#""coarse_from":\#(starts())"#) }
      }
      if !isKind || index == 0, chance(0.7) { members.append(#""coarse":\#(values(["low", "medium", "high"]))"#) }
      return "{" + members.joined(separator: ",") + "}"
    }

    /// An object with all, some or none of the values.
    private mutating func values(_ values: [String]) -> String {
      let share = pick([0, 0.1, 0.5, 1])
      let listed = values.filter { _ in chance(share) }.map { #""\#($0)":\#(events())"# }
      return "{" + listed.joined(separator: ",") + "}"
    }

    private mutating func events() -> String {
      let events = (0..<pick([0, 1, 2])).map { index in
        let revenue = [
          "", #","min_revenue":1,"max_revenue":5"#, #","min_revenue":5,"max_revenue":null,"value":9.5"#,
          #","min_revenue":2,"max_revenue":2"#, #","min_count":0,"max_count":null"#,
        ]
        return #"{"event":"e\#(index)"\#(pick(revenue))}"#
      }
      return "[" + events.joined(separator: ",") + "]"
    }

    private mutating func starts() -> String {
      let medium = Int.random(in: 1...63, using: &random)
      return #"{"medium":\#(medium),"high":\#(Int.random(in: medium + 1...64, using: &random))}"#
    }

    private mutating func lockRule() -> String {
      pick(["true", "false", #"{"fine_value":3}"#, #"{"coarse_value":"medium"}"#, #"{"event":"e0"}"#])
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
  }
}
