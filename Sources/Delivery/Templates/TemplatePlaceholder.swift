internal import Ledger
internal import Base
internal import Signatures

/// A value of a delivery that templates can name.
enum TemplatePlaceholder: String, CaseIterable, Sendable {
  case postbackKey = "postback_key"
  case framework
  case version
  case networkID = "network_id"
  case networkName = "network_name"
  case campaignID = "campaign_id"
  case sourceIdentifier = "source_identifier"
  case appID = "app_id"
  case sourceAppID = "source_app_id"
  case sourceDomain = "source_domain"
  case transactionID = "transaction_id"
  case redownload
  case conversionType = "conversion_type"
  case fidelityType = "fidelity_type"
  case adInteractionType = "ad_interaction_type"
  case didWin = "did_win"
  case postbackSequenceIndex = "postback_sequence_index"
  case conversionValue = "conversion_value"
  case coarseConversionValue = "coarse_conversion_value"
  case country
  case receivedAt = "received_at"
  case receivedAtUnix = "received_at_unix"
  case estimatedInstallDate = "estimated_install_date"
  case modelID = "model_id"
  case modelVersion = "model_version"
  case decodeStatus = "decode_status"
  case trustLevel = "trust_level"
  case eventName = "event_name"
  case eventCount = "event_count"
  case eventCountMin = "event_count_min"
  case eventCountMax = "event_count_max"
  case revenue
  case revenueMin = "revenue_min"
  case revenueMax = "revenue_max"
  case currency
  case raw
  case rawBase64 = "raw_base64"
  case kind
  case supersedes
  case deliveryID = "delivery_id"
  case attempt
  case attributionSignature = "sk_attribution_signature"

  /// Indicates that the value is made of the body of the postback, which tables have only with `--keep-raw`.
  var isOfRawBody: Bool { self == .raw || self == .rawBase64 || self == .attributionSignature }

  /// The values that the body `json` has, each under the name of its macro.
  static let ofWholeBody = allCases.filter { !$0.isOfRawBody }
}

/// A reference to a value in a template: a macro, or a name that others use for it.
struct MacroName: Hashable, Sendable {
  /// The value; nil for a name that always stands for the same text.
  let macro: TemplatePlaceholder?
  /// The text that the name always stands for.
  let constant: String?
  /// Indicates that Booleans are written as 1 and 0, whatever the partner has.
  let writesDigits: Bool

  /// The reference with a name; nil if no value has it.
  init?(_ name: String) {
    if let constant = Self.constants[name] {
      (macro, self.constant, writesDigits) = (nil, constant, false)
    } else if let macro = TemplatePlaceholder(rawValue: name) ?? Self.aliases[name] {
      (self.macro, constant, writesDigits) = (macro, nil, Self.digits.contains(name))
    } else {
      return nil
    }
  }

  /// All names that templates may have.
  static var all: [String] {
    TemplatePlaceholder.allCases.map(\.rawValue) + aliases.keys.sorted() + constants.keys.sorted()
  }

  /// The placeholders of Adjust, and the parameters of the standard `singular-labs/skan`.
  private static let aliases: [String: TemplatePlaceholder] = [
    "sk_ts": .receivedAtUnix, "sk_payload": .raw, "sk_version": .version, "sk_network_id": .networkID,
    "sk_campaign_id": .campaignID, "sk_transaction_id": .transactionID, "sk_app_id": .appID,
    "sk_redownload": .redownload, "sk_fidelity_type": .fidelityType, "sk_did_win": .didWin,
    "sk_source_app_id": .sourceAppID, "sk_source_domain": .sourceDomain, "sk_source_identifier": .sourceIdentifier,
    "sk_conversion_value": .conversionValue, "sk_coarse_conversion_value": .coarseConversionValue,
    "sk_postback_sequence_index": .postbackSequenceIndex, "event": .eventName, "count_min": .eventCountMin,
    "count_max": .eventCountMax, "reporting_revenue_min": .revenueMin, "reporting_revenue_max": .revenueMax,
    "skan_postback": .rawBase64,
  ]

  /// Only verified postbacks are delivered.
  private static let constants = ["sk_invalid_signature": "0", "attribution_type": "skadnetwork"]
  private static let digits: Set<String> = ["sk_redownload"]
}

/// The value of a macro.
enum PlaceholderValue: Hashable, Sendable {
  case text(String)
  /// A number as it is written in JSON.
  case number(String)
  case boolean(Bool)
}

/// The words for true and false that a partner expects.
enum BooleanWords: String, CaseIterable, Sendable {
  case words = "true_false"
  case digits = "1_0"
}

/// A change of a value, written behind the name of a macro: `{country|lower}`.
enum Modifier: Hashable, Sendable {
  case lower
  case `default`(String)
  case unixMilliseconds
  case sha256

  /// Parses a modifier; nil if there is none of this name.
  init?(_ text: String) {
    switch text {
    case "lower": self = .lower
    case "unix_ms": self = .unixMilliseconds
    case "sha256": self = .sha256
    default:
      guard text.hasPrefix("default:") else { return nil }
      self = .default(String(text.dropFirst("default:".count)))
    }
  }

  /// Returns the changed value; nil if there is none.
  func applied(to value: PlaceholderValue?, _ words: BooleanWords) -> PlaceholderValue? {
    switch (self, value) {
    case (.default(let text), nil): .text(text)
    case (_, nil): nil
    case (.default, let value): value
    case (.lower, .text(let text)?): .text(text.lowercased())
    case (.lower, let value): value
    case (.unixMilliseconds, let value?):
      Timestamp(value.written(words)).map { .number("\($0.milliseconds)") }
    case (.sha256, let value?): Self.digest(of: value.written(words)).map { .text($0) }
    }
  }

  private static func digest(of text: String) -> String? {
    guard var hash = try? SHA256(), let digest = try? hash.digest(of: text.utf8.span) else { return nil }
    return digest.hexadecimal
  }
}

extension PlaceholderValue {
  /// The value as text.
  func written(_ words: BooleanWords) -> String {
    switch self {
    case .text(let text), .number(let text): text
    case .boolean(let value): words == .words ? "\(value)" : value ? "1" : "0"
    }
  }
}
