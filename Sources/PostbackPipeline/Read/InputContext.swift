package import Base
package import DurableFiles
package import SKAdNetwork

/// The facts that the path of an input, or its operator, gives for all postbacks in it. An envelope takes precedence.
package struct InputContext: Hashable, Sendable {
  /// The name of the forwarder that sent the postbacks; nil if it is not known.
  package private(set) var forwarder: String?
  /// The channel through which they came; nil if it is not known.
  package private(set) var channel: Channel?
  /// The time at which they were received; nil if it is not known.
  package private(set) var receivedAt: Timestamp?

  /// Facts of which a forwarder implies its channel. What devices sent has no forwarder.
  package init(forwarder: String? = nil, channel: Channel? = nil, receivedAt: Timestamp? = nil) {
    self.forwarder = channel == .appleDirect ? nil : forwarder
    self.channel = channel ?? (forwarder == nil ? nil : .networkForwarded)
    self.receivedAt = receivedAt
  }

  /// The facts in the components of a path: those of `rules`, and of `forwarder=NAME` and `channel=CHANNEL`. The last
  /// component counts that has a fact. Throws if a rule finds a value that cannot be one.
  package init(of path: String, _ rules: [ContextRule]) throws(FileFailure) {
    var values: [ContextRule.Fact: String] = [:]
    for component in path.split(separator: "/") {
      for rule in ContextRule.always {
        if let value = rule.value(in: component), rule.fact.accepts(value) { values[rule.fact] = value }
      }
      for rule in rules {
        guard let value = rule.value(in: component) else { continue }
        guard rule.fact.accepts(value) else {
          throw FileFailure(
            .notFound,
            path,
            "The name \(component) has no \(rule.fact.expectation) in the place of {\(rule.fact.rawValue)}",
            advice: "Correct --context, or leave the file out with --exclude"
          )
        }
        values[rule.fact] = value
      }
    }
    self.init(
      forwarder: values[.forwarder],
      channel: values[.channel].flatMap { Channel(rawValue: $0) },
      receivedAt: values[.receivedAt].flatMap { Timestamp(dateOrTime: $0) }
    )
  }

  /// Returns these facts, with those of another context that are absent here and do not contradict them.
  package func completed(by other: InputContext) -> InputContext {
    InputContext(
      forwarder: forwarder ?? other.forwarder,
      channel: channel ?? (forwarder == nil ? other.channel : nil),
      receivedAt: receivedAt ?? other.receivedAt
    )
  }

  /// Tells if a text may be the name of a forwarder: 1 to 256 bytes, without control characters.
  package static func isName(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count) && !text.unicodeScalars.contains(where: \.isControl)
  }
}

/// A rule by which the name of a file, or of a folder around it, gives a fact: a text with one placeholder, such as
/// `source={forwarder}`.
package struct ContextRule: Sendable {
  /// A fact that a name can give. The raw value is the word of its placeholder.
  enum Fact: String, CaseIterable {
    case forwarder
    case channel
    case receivedAt = "received_at"

    /// A description of the values.
    var expectation: String {
      switch self {
      case .forwarder: "name of a forwarder"
      case .channel: Channel.allCases.map(\.rawValue).joined(separator: " or ")
      case .receivedAt: "date or time such as 2026-03-10"
      }
    }

    func accepts(_ value: String) -> Bool {
      switch self {
      case .forwarder: InputContext.isName(value)
      case .channel: Channel(rawValue: value) != nil
      case .receivedAt: Timestamp(dateOrTime: value) != nil
      }
    }
  }

  let fact: Fact
  private let start: String
  private let end: String

  /// Parses a text; nil if it has no placeholder or several ones, or a slash.
  package init?(_ text: String) {
    guard let open = text.firstIndex(of: "{"), let close = text.firstIndex(of: "}"), open < close else { return nil }
    guard let fact = Fact(rawValue: String(text[text.index(after: open)..<close])) else { return nil }
    let (start, end) = (String(text[..<open]), String(text[text.index(after: close)...]))
    guard !(start + end).contains(where: { "{}/".contains($0) }) else { return nil }
    (self.fact, self.start, self.end) = (fact, start, end)
  }

  private init(_ fact: Fact) { (self.fact, start, end) = (fact, "\(fact.rawValue)=", "") }

  fileprivate static let always = [ContextRule(.forwarder), ContextRule(.channel)]

  /// Returns the value in a component of a path, with `%` and two hexadecimal digits decoded, as in the folders of Hive
  /// tables; nil if the rule does not fit it.
  fileprivate func value(in component: Substring) -> String? {
    guard component.utf8.count > start.utf8.count + end.utf8.count, component.hasPrefix(start), component.hasSuffix(end)
    else { return nil }
    let text = String(component.dropFirst(start.count).dropLast(end.count))
    // The folder of rows without a value.
    return text == "__HIVE_DEFAULT_PARTITION__" ? nil : text.percentDecoded ?? text
  }
}
