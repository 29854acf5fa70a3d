internal import Base
internal import SyntheticTraffic

/// The option that adds frauds to a dump of campaigns.
enum FraudOptions {
  static let options = [
    Option(
      "--fraud",
      "KIND,…",
      """
      Add a fraud, such as inflate-fine,forwarder=adjust,share=0.5,since=2026-03-10; may be repeated.
      KIND is \(FraudKind.allCases.map(\.rawValue).joined(separator: ", ").wrapped).
      The party is forwarder=NAME, network=NAME or app=ID; the default is the forwarder of the first
      network. The size is share=SHARE of all postbacks that it can affect (default 0.5), or
      postbacks=N. Needs --campaigns.
      """
    )
  ]

  /// Reads the option.
  static func scenarios(_ arguments: Arguments) throws(CommandFailure) -> [FraudScenario] {
    var scenarios: [FraudScenario] = []
    for text in arguments.all("--fraud") { scenarios.append(try scenario(text)) }
    if !scenarios.isEmpty, !arguments.has("--campaigns"), !arguments.has("--world") {
      throw CommandFailure(
        .usage,
        "--fraud needs --campaigns or --world, because only postbacks of campaigns have forwarders. Add that option."
      )
    }
    return scenarios
  }

  private static func scenario(_ text: String) throws(CommandFailure) -> FraudScenario {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let kind = FraudKind(rawValue: parts[0]) else {
      let names = FraudKind.allCases.map(\.rawValue)
      let advice =
        parts[0].nearest(among: names).map { "Did you mean \($0)?" } ?? "Use one of \(names.joined(separator: ", "))."
      throw CommandFailure(.usage, "--fraud is \(text), but there is no fraud \(parts[0]). \(advice)")
    }
    func refused(_ part: String, _ expected: String) -> CommandFailure {
      CommandFailure(.usage, "--fraud is \(text), but \(part) is not \(expected).")
    }
    var culprit: FraudScenario.Culprit?
    var extent: FraudScenario.Extent?
    var since: Int64?
    for part in parts.dropFirst() {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = words.count > 1 ? words[1] : ""
      switch words[0] {
      case "forwarder", "network", "app":
        guard culprit == nil else { throw refused(part, "the only party; give one of forwarder, network and app") }
        if words[0] == "app" {
          guard let id = Int64(value) else { throw refused(part, "an app with its id, such as app=525463029") }
          culprit = .app(id)
        } else {
          guard !value.isEmpty else { throw refused(part, "a party with its name, such as forwarder=adjust") }
          culprit = words[0] == "forwarder" ? .forwarder(value) : .network(value)
        }
      case "share":
        guard let share = Double(value), (0...1).contains(share), extent == nil else {
          throw refused(part, "one size, a share from 0 to 1")
        }
        extent = .share(share)
      case "postbacks":
        guard let count = Int(value), (0...1_000_000_000).contains(count), extent == nil else {
          throw refused(part, "one size, a number of postbacks")
        }
        extent = .postbacks(count)
      case "since":
        guard let time = Timestamp(dateOrTime: value) else {
          throw refused(part, "a date or a time, such as 2026-03-10")
        }
        since = time.milliseconds
      default: throw refused(part, "one of forwarder=, network=, app=, share=, postbacks= and since=")
      }
    }
    return FraudScenario(kind, culprit: culprit, extent: extent ?? .share(0.5), since: since)
  }

  /// Throws if a fraud names a party that the dump does not have.
  static func check(_ scenarios: [FraudScenario], in traffic: CampaignTraffic) throws(CommandFailure) {
    let parties = traffic.parties
    for scenario in scenarios {
      guard let culprit = scenario.culprit, !traffic.has(culprit) else { continue }
      let (name, all) =
        switch culprit {
        case .forwarder(let name): ("forwarder \(name)", parties.forwarders)
        case .network(let name): ("network \(name)", parties.networks)
        case .app(let id): ("app \(id)", parties.apps.map { "\($0)" })
        }
      throw CommandFailure(
        .usage,
        "--fraud \(scenario.kind.rawValue) names the \(name), which the dump does not have. "
          + "It has \(all.joined(separator: ", "))."
      )
    }
  }
}

extension String {
  /// The text, broken after the word before the middle.
  fileprivate var wrapped: String {
    guard let comma = self[..<index(startIndex, offsetBy: count / 2)].lastIndex(of: ",") else { return self }
    return self[...comma] + "\n" + self[index(comma, offsetBy: 2)...]
  }
}
