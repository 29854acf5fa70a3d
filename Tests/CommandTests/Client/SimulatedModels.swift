@testable import ConversionModel
import JSON
import TestSupport

/// An app with a conversion model that applies to all installs.
struct SimulatedApp: Sendable, CustomStringConvertible {
  let model: ConversionModel
  let models: Models
  /// The model file.
  let text: String
  let description: String

  var id: Int64 { model.appID }
  var bundleID: String { "com.example.app\(id)" }

  /// The models of Fixtures, each version for an app of its own, and a model of each kind.
  static func all() throws -> [SimulatedApp] {
    var texts: [(name: String, members: [JSONValue.Member])] = []
    for file in Fixtures.files(in: "models") {
      let json = try JSONValue(parsing: Fixtures.bytes(file))
      let versions: [JSONValue] = if case .array(let elements) = json { elements } else { [json] }
      for case .object(let members) in versions { texts.append((file, members)) }
    }
    for (name, window) in kinds {
      let text =
        #"{"model_id":"m","version":1,"currency":"USD","windows":[{"postback_sequence_index":0,\#(window)},\#(later)]}"#
      guard case .object(let members) = try JSONValue(parsing: Array(text.utf8)) else { continue }
      texts.append((name, members))
    }
    return try texts.enumerated().map { try SimulatedApp($0.offset, $0.element.name, $0.element.members) }
  }

  private static let later = """
    {"postback_sequence_index":1,"kind":"events","events":["tutorial","sign_up"],"cumulative":true},\
    {"postback_sequence_index":2,"kind":"revenue","event":"purchase","thresholds":[5,50],"cumulative":true}
    """

  private static let kinds = [
    ("revenue", #""kind":"revenue","event":"purchase","buckets":{"count":40,"min":1,"max":900,"scale":"logarithmic"}"#),
    ("events in order", #""kind":"events","events":["tutorial","sign_up","trial","subscribe"]"#),
    ("events as bits", #""kind":"events","as":"bits","events":["tutorial","sign_up","trial","subscribe"]"#),
    ("engagement", #""kind":"engagement","event":"level","counts":[1,2,3,4,5,6,7,8,9,10]"#),
    ("retention", #""kind":"retention","days":[1,2]"#),
    ("funnel", #""kind":"funnel","steps":["tutorial","sign_up","trial"]"#),
    (
      "mixed",
      #""kind":"mixed","parts":[{"bits":2,"kind":"events","as":"bits","events":["tutorial","sign_up"]},"#
        + #"{"bits":4,"kind":"revenue","event":"purchase","thresholds":[1,2,4,8,16,32,64]}],"lock_window":{"fine_value":28}"#
    ),
  ]

  private init(_ number: Int, _ name: String, _ members: [JSONValue.Member]) throws {
    let replaced = ["app_id", "bundle_id", "effective_from", "effective_to"]
    let id = 7_000_000_001 + number
    var members = members.filter { !replaced.contains($0.key) }
    members.append(.init(key: "app_id", value: .number("\(id)")))
    members.append(.init(key: "bundle_id", value: .string("com.example.app\(id)")))
    members.append(.init(key: "effective_from", value: .null))
    text = JSONValue.object(members).description
    models = try Models(parsing: Array(text.utf8), file: name)
    model = models.all[0]
    description = "\(name) \(model.label)"
  }

  /// The names of the events in any window, without those that the model counts by itself.
  var events: [String] {
    var names = Set(model.windows.flatMap(\.meanings).flatMap(\.events).map(\.name))
    names.remove("last_active_day")
    return names.filter { $0.utf8.count <= 32 }.sorted()
  }

  /// The events that carry revenue in any window.
  var earners: [String] {
    model.windows.reduce(into: Set()) { $0.formUnion($1.earners) }.sorted()
  }
}

extension ModelWindow {
  /// The events that carry revenue in the window.
  var earners: Set<String> { Set(meanings.flatMap(\.events).filter { $0.revenue != nil }.map(\.name)) }

  /// The meanings of all values that the window lists.
  var meanings: [DecodedMeaning] {
    fineValues.compactMap(meaning(fine:)) + CoarseValue.allCases.compactMap(meaning(coarse:))
  }
}
