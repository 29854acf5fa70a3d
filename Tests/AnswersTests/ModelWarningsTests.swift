import ConversionModel
import Testing

@testable import Answers

@Suite struct `The warnings of models` {
  private static let window = #""windows":[{"postback_sequence_index":0,"fine":{"1":[{"event":"a"}]}}]"#

  /// The warnings of models of app 1, each with some members.
  private func warnings(_ models: String...) throws -> [String] {
    let texts = models.enumerated().map { #"{"app_id":1,"model_id":"m","version":\#($0.offset + 1),\#($0.element)}"# }
    return try Models(parsing: Array("[\(texts.joined(separator: ","))]".utf8)).warnings
  }

  @Test func `are none for versions that meet`() throws {
    let (first, second) = (#""effective_from":null,"effective_to":"2026-03-01T00:00:00Z","#, "2026-03-01T00:00:00Z")
    let found = try warnings(first + Self.window, #""effective_from":"\#(second)","currency":"EUR","# + Self.window)
    #expect(found == [])
  }

  @Test func `name the times between two versions`() throws {
    let (first, second) = (#""effective_from":null,"effective_to":"2026-03-01T00:00:00Z","#, "2026-03-02T00:00:00Z")
    let found = try warnings(first + Self.window, #""effective_from":"\#(second)","# + Self.window)
    let warning =
      "app 1: No model is in force for installs from 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z, between m@1 and m@2."
    #expect(found.count == 1 && found[0].hasPrefix(warning), "\(found)")
  }

  @Test func `name a currency that does not exist`() throws {
    let found = try warnings(#""effective_from":null,"currency":"ZZZ","# + Self.window)
    #expect(found == ["m@1 of app 1: ISO 4217 has no currency ZZZ. Check the code."])
  }

  @Test(arguments: ["größe", "abcdefghijklmnopqrstuvwxyz0123456", "1234567890123456789012345678901é"])
  func `name an event that apps cannot send, in a model with a bundle id`(_ event: String) throws {
    let model =
      #""effective_from":null,"windows":[{"postback_sequence_index":1,"lock_window":{"event":"\#(event)"},"coarse":{"low":[]}}]"#
    let found = try warnings(#""bundle_id":"b","# + model)
    let warning = "m@1 of app 1: An app cannot send the event \"\(event)\" to the conversion value API"
    #expect(found.count == 1 && found[0].hasPrefix(warning), "\(found)")
    #expect(try warnings(model) == [])
  }

  @Test func `name an event that is twice in a value, once for each window`() throws {
    let value = #"[{"event":"a"},{"event":"a","min_count":2,"max_count":null}]"#
    let windows = #""windows":[{"postback_sequence_index":0,"fine":{"0":[],"7":\#(value),"8":\#(value)}}]"#
    let found = try warnings(#""effective_from":null,"# + windows)
    let warning = "m@1 of app 1, window 0: The value 7 names the event \"a\" twice."
    #expect(found.count == 1 && found[0].hasPrefix(warning), "\(found)")
  }

  @Test func `name events of an app that differ in bytes alone`() throws {
    func windows(_ event: String) -> String {
      #""windows":[{"postback_sequence_index":0,"fine":{"1":[{"event":"\#(event)"}]}}]"#
    }
    let end = #""effective_from":null,"effective_to":"2026-03-01T00:00:00Z","#
    let start = #""effective_from":"2026-03-01T00:00:00Z","#
    let found = try warnings(end + windows("caf\u{E9}"), start + windows("cafe\u{301}"))
    let warning = #"m@2 of app 1: The event "cafe\u{0301}" looks like "caf\u{00E9}""#
    #expect(found.count == 1 && found[0].hasPrefix(warning), "\(found)")
    #expect(try warnings(end + windows("caf\u{E9}"), start + windows("caf\u{E9}")) == [])
  }
}
