@testable import ConversionModel
import ConversionClient
import Foundation
import JSON
import Signatures
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Simulated devices` {
  /// The source of the values of a device, and the framework.
  enum Mode: String, CaseIterable {
    case model, server, modelForAdAttributionKit, serverForSKAdNetwork3

    var framework: AdFramework { self == .serverForSKAdNetwork3 ? .skAdNetwork3 : .skAdNetwork4 }
    var asksServer: Bool { self == .server || self == .serverForSKAdNetwork3 }
    var form: SentPostback.Form {
      switch self {
      case .model, .server: .skAdNetwork4
      case .modelForAdAttributionKit: .adAttributionKit(.install)
      case .serverForSKAdNetwork3: .skAdNetwork3
      }
    }
  }

  /// What a postback must decode to.
  private struct Expectation {
    let app: SimulatedApp
    let window: Int
    let activity: Activity
    let type: ConversionType
  }

  @Test(arguments: Mode.allCases)
  func `send what decodes to what their users did, for each kind of model`(_ mode: Mode) async throws {
    let folder = try TemporaryFolder()
    let apps = try SimulatedApp.all()
    try folder.makeFile("models.json", holding: Array("[\(apps.map(\.text).joined(separator: ","))]".utf8))
    let site = mode.asksServer ? try await ServerSite(["--models", folder.path("models.json")]) : nil
    let server = try site.map { try #require(URL(string: "http://127.0.0.1:\($0.port)")) }
    let signer = try Signer(.p256, id: "ours")
    var expected: [String: Expectation] = [:]
    var lines: [String] = []
    for (number, app) in apps.enumerated() {
      // The second life of a device begins with an empty storage, after the app was deleted on the third day or so.
      for life in 0..<2 {
        let seed = UInt64(1000 * number + life)
        var device = try await SimulatedDevice(app, framework: mode.framework, in: folder, seed: seed, server: server)
        let days = life == 0 ? Int(seed % 4) + 1 : 36
        device.returns = mode == .modelForAdAttributionKit
        try await device.use(for: mode.framework == .skAdNetwork3 ? 70_000 : days * 86_400)
        for (user, type) in [(device.user, AdConversionType.install), (device.returned, .reengagement)] {
          for (window, values) in device.apple.windows(of: type) {
            guard let user, let activity = user.windows[window].told else { continue }
            for showsFine in values.fine == nil || mode.framework == .skAdNetwork3 ? [true] : [true, false] {
              let postback = SentPostback(
                transaction: UUID().uuidString.lowercased(),
                app: app.id,
                window: window,
                values: values,
                showsFine: showsFine,
                isRedownload: life == 1
              )
              lines.append(try postback.line(signer, type == .install ? mode.form : .adAttributionKit(type)))
              expected[postback.transaction] = Expectation(
                app: app,
                window: window,
                activity: activity,
                type: user.type
              )
            }
          }
        }
      }
    }
    try folder.makeFile("postbacks.jsonl", holding: Array((lines.joined(separator: "\n") + "\n").utf8))
    let run = try await BuiltCommand.run([
      "run", folder.path("postbacks.jsonl"), "--models", folder.path("models.json"), "--out", folder.path("out"),
      "--trust-key", "ours=\(signer.base64)",
    ])
    #expect(run.status == 0, "\(run.errorText)")
    let rows = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    let events = try JSONObject.lines(try folder.contents(of: "out/skan_events/part-00000001.jsonl"))
    #expect(rows.count == lines.count && lines.count >= apps.count * 2)
    let eventsByKey = Dictionary(grouping: events) { $0["postback_key"]?.text ?? "" }
    var exact = 0
    for row in rows {
      let expectation = try #require(expected[row["transaction_id"]?.text ?? ""])
      let events = eventsByKey[row["postback_key"]?.text ?? ""] ?? []
      if try Self.check(row, events, expectation, mode) { exact += 1 }
    }
    let returned = rows.count { $0["conversion_type"]?.text == "re-engagement" }
    #expect((returned > 0) == (mode == .modelForAdAttributionKit))
    #expect(exact * 10 > rows.count * 6, "\(exact) of \(rows.count) values contain the whole activity")
  }

  /// Compares a decoded postback with the activity of the user. Returns true if the model has a value that contains the
  /// whole activity.
  private static func check(
    _ row: JSONObject,
    _ events: [JSONObject],
    _ expectation: Expectation,
    _ mode: Mode
  ) throws -> Bool {
    let (app, activity) = (expectation.app, expectation.activity)
    let place: Comment = "\(app), \(mode), window \(expectation.window), \(activity), \(row)"
    #expect(row["decode_status"]?.text == "decoded", place)
    let isExact =
      app.model.encode(activity, window: expectation.window, conversionType: expectation.type)?.isExact == true
    let earners = app.model.window(expectation.window, expectation.type)?.earners ?? []
    if app.model.currency != nil, case .number(let least) = row["min_revenue"] {
      #expect(try Amount(parsing: least) <= activity.revenue, place)
      if isExact, case .number(let most) = row["max_revenue"] {
        let limit = try Amount(parsing: most)
        #expect(activity.revenue < limit || least == most, place)
      }
    }
    for event in events {
      let name = event["event_name"]?.text ?? ""
      // The server keeps nothing, so it knows the number of payments only from the value, and revenue decides. It also
      // decides where the event that earned it is not among those of the window.
      if earners.contains(name), mode.asksServer || !earners.contains(where: { activity.counts[$0] ?? 0 > 0 }) {
        continue
      }
      let count = activity.counts[name] ?? 0
      #expect(event.integer("min_event_count") ?? 0 <= count, "\(name): \(place)")
      if isExact, !mode.asksServer, let most = event.integer("max_event_count") {
        #expect(count <= most, "\(name): \(place)")
      }
    }
    return isExact
  }
}
