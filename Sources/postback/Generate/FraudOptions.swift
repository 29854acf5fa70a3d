internal import Base
internal import SyntheticTraffic

/// The option that adds frauds to a dump of campaigns.
struct FraudOptions: OptionGroup {
  let scenarios = Option(
    "--fraud KIND,…",
    """
    Add a fraud, such as inflate-fine,forwarder=adjust,share=0.5,since=2026-03-10; may be repeated.
    KIND is \(FraudKind.allCases.map(\.rawValue).joined(separator: ", ").wrapped).
    The party is forwarder=NAME (NAME+NAME act together), network=NAME, app=ID or campaign=ID, or
    several of them; the default is the forwarder of the first network. since=DATE and until=DATE
    bound the time of receipt. The size is share=SHARE of all postbacks that it can affect
    (default 0.5), or postbacks=N. by=N raises fine values by N. Needs --campaigns or --world.
    """
  ).values(.init(throwing: { try scenario($0) }))

  /// Throws if there are frauds, but no campaigns.
  func check(with campaigns: CampaignOptions) throws {
    if !scenarios.isEmpty, !campaigns.areGiven {
      throw CommandFailure(
        .usage,
        "--fraud needs --campaigns or --world, because only postbacks of campaigns have forwarders. Add that option."
      )
    }
  }

  private static func scenario(_ text: String) throws -> FraudScenario {
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
    var target = FraudScenario.Target()
    var extent: FraudScenario.Extent?
    var step: Int?
    var given: Set<String> = []
    for part in parts.dropFirst() {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = words.count > 1 ? words[1] : ""
      guard given.insert(words[0]).inserted else { throw refused(part, "the only \(words[0])=; give it once") }
      switch words[0] {
      case "forwarder":
        target.forwarders = value.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        guard !target.forwarders.contains("") else { throw refused(part, "a name, such as forwarder=adjust") }
      case "network":
        guard !value.isEmpty else { throw refused(part, "a name, such as network=Network 1") }
        target.network = value
      case "app":
        guard let id = Int64(value) else { throw refused(part, "an app with its id, such as app=525463029") }
        target.app = id
      case "campaign":
        guard !value.isEmpty else { throw refused(part, "an id, such as campaign=1000001") }
        target.campaign = value
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
      case "since", "until":
        guard let time = Timestamp(dateOrTime: value) else {
          throw refused(part, "a date or a time, such as 2026-03-10")
        }
        if words[0] == "since" { target.since = time.milliseconds } else { target.until = time.milliseconds }
      case "by":
        guard let number = Int(value), (1...63).contains(number), kind == .inflateFine else {
          throw refused(part, "a number from 1 to 63 by which inflate-fine raises values")
        }
        step = number
      default:
        throw refused(part, "one of forwarder=, network=, app=, campaign=, share=, postbacks=, since=, until= and by=")
      }
    }
    return FraudScenario(kind, target: target, extent: extent ?? .share(0.5), step: step)
  }

  /// Throws if a fraud names a party that the dump does not have.
  func check(in traffic: CampaignTraffic) throws {
    for scenario in scenarios {
      guard let unknown = traffic.unknown(in: scenario.target).first else { continue }
      throw CommandFailure(
        .usage,
        "--fraud \(scenario.kind.rawValue) names the \(unknown.property), which the dump does not have. "
          + "It has \(unknown.known.joined(separator: ", "))."
      )
    }
  }
}

extension String {
  /// The text, broken after commas in lines of at most 90 characters.
  fileprivate var wrapped: String {
    var lines = [""]
    for word in split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 89 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.joined(separator: "\n")
  }
}
