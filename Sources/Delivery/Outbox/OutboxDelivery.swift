internal import Base
internal import DurableFiles
internal import JSON
internal import PostbackVerification
internal import Signatures

/// The id of a delivery, the same in every attempt and after every restart: the first 128 bits of the SHA-256 of partner,
/// postback, kind and event.
struct DeliveryID: Hashable, Sendable, CustomStringConvertible {
  let number: UInt128

  init(_ number: UInt128) { self.number = number }

  /// The id of a delivery. A correction is also told by the one before it, because a value can be restated more than once: the
  /// delivery that it supersedes, or a correction of that one that has failed.
  init(
    partner: String,
    postback: PostbackKey,
    kind: DeliveryKind,
    event: String?,
    supersedes: DeliveryID?,
    _ hash: inout SHA256
  ) throws(LibcryptoFailure) {
    let parts =
      [partner, postback.description, kind.rawValue, event ?? ""] + (supersedes.map { [$0.description] } ?? [])
    let words = try hash.digest(of: parts.joined(separator: "\u{2063}").utf8.span).words
    number = UInt128(words.0) << 64 | UInt128(words.1)
  }

  /// The id as 32 hexadecimal digits.
  var description: String { number.digits(32, radix: 16) }
}

/// The state of a delivery.
enum DeliveryState: String, CaseIterable, Sendable {
  /// There will be another attempt.
  case pending
  /// The partner has confirmed it.
  case delivered
  /// The partner has refused it, or there were enough attempts.
  case failed
  /// It will not be sent, or not again.
  case cancelled
}

/// A delivery that is planned.
struct PlannedDelivery: Sendable {
  let id: DeliveryID
  let partner: String
  let postback: PostbackKey
  let kind: DeliveryKind
  let event: String?
  let supersedes: DeliveryID?
  /// The time of receipt in milliseconds since 1970; nil if it is not known.
  let receivedAt: Int64?
  /// The time of the first attempt, in milliseconds since 1970.
  let dueAt: Int64
  /// The reason for which it is never sent; nil if it is.
  let refusal: String?
  let values: DeliveryValues
}

/// A pending delivery with what an attempt needs.
struct PendingDelivery: Sendable {
  /// The place in the order of acceptance.
  let sequence: Int64
  let id: DeliveryID
  let kind: DeliveryKind
  let event: String?
  let supersedes: DeliveryID?
  let attempts: Int
  let firstAttemptAt: Int64?
  let lastAttemptAt: Int64?
  /// The status of the last response; 0 if there was none.
  let status: Int
  /// The reason of the last failure; nil if there was none.
  let error: String?
  let receivedAt: Int64?
  let values: DeliveryValues
}

/// The values of a delivery, as they are kept in the outbox.
struct DeliveryValues: Sendable, Equatable {
  var values: [TemplatePlaceholder: PlaceholderValue]

  init(_ values: [TemplatePlaceholder: PlaceholderValue]) { self.values = values }

  /// Reads the JSON that `json` has written; nil for other texts.
  init?(json: String) {
    guard case .object(let members)? = try? JSONValue(parsing: Array(json.utf8)) else { return nil }
    values = Dictionary(minimumCapacity: members.count)
    for member in members {
      guard let macro = TemplatePlaceholder(rawValue: member.key) else { continue }
      switch member.value {
      case .string(let text): values[macro] = .text(text)
      case .number(let text): values[macro] = .number(text)
      case .bool(let value): values[macro] = .boolean(value)
      case .null, .array, .object: continue
      }
    }
  }

  /// Reads the values in a row of a file; throws if it is damaged.
  init(_ json: String, in path: String) throws(FileFailure) {
    guard let values = DeliveryValues(json: json) else { throw .damaged(path, "The values are not readable") }
    self = values
  }

  /// The values as a JSON object, in the order of the macros.
  var json: String {
    var json: [UInt8] = []
    for macro in TemplatePlaceholder.allCases {
      guard let value = values[macro] else { continue }
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      json.appendJSONString(macro.rawValue)
      json.append(UInt8(ascii: ":"))
      if case .text(let text) = value { json.appendJSONString(text) } else { json += value.written(.words).utf8 }
    }
    if json.isEmpty { json.append(UInt8(ascii: "{")) }
    json.append(UInt8(ascii: "}"))
    return String(decoding: json, as: UTF8.self)
  }

  /// The values whose change by a settlement is sent as a correction: those that copies can contradict, and what they mean. The
  /// install date, the model and the level of trust alone are none.
  var restated: [TemplatePlaceholder: PlaceholderValue] { values.filter { Self.restatable.contains($0.key) } }

  private static let restatable: Set<TemplatePlaceholder> = [
    .conversionValue, .coarseConversionValue, .country, .decodeStatus, .eventCount, .eventCountMin, .eventCountMax,
    .revenue, .revenueMin, .revenueMax, .currency,
  ]
}

/// The result of an attempt.
struct AttemptOutcome: Sendable {
  let sequence: Int64
  let state: DeliveryState
  let attempts: Int
  let firstAttemptAt: Int64?
  let lastAttemptAt: Int64?
  let status: Int
  let error: String?
  let nextAttemptAt: Int64?
}
