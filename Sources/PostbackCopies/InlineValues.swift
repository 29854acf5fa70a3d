internal import Base
internal import JSON

/// The campaign of a postback as a forwarder added it, without a signature.
package struct InlineValues: Hashable, Sendable {
  /// A value that forwarders add.
  package enum Field: Int, CaseIterable, Sendable {
    case campaignID, campaignName, adgroupID, adgroupName, creativeID, creativeName
  }

  /// The values by field; empty if there are none.
  private var values: [String?] = []
  /// The time at which the postback was forwarded, in milliseconds since 1970; nil if there is none that can be right.
  package var forwardedAt: Int64?
  /// Indicates that there was a time of forwarding that cannot be right.
  package var hasWrongTime = false
  /// Indicates that the forwarder marks the postback as a test.
  package var isTest = false

  package subscript(field: Field) -> String? { values.isEmpty ? nil : values[field.rawValue] }

  /// No values.
  package init() {}

  /// Indicates that there is a campaign, an ad group or a creative.
  package var hasCampaign: Bool { !values.isEmpty }
}

/// Reads inline values from the keys of a postback that Apple does not define.
package struct InlineReader: ~Copyable {
  private var parser = JSONParser()
  private var document = JSONDocument()
  private var text: [UInt8] = []

  /// Makes a reader.
  package init() {}

  /// The fields by key, in lower case and with `_` in place of `-`. Where a forwarder has two names for a field, the
  /// higher rank counts.
  private static let keys: [String: (field: InlineValues.Field, rank: Int)] = [
    "adjust_campaign_id": (.campaignID, 1), "adjust_campaign": (.campaignName, 1),
    "adjust_adgroup_id": (.adgroupID, 1), "adjust_adgroup": (.adgroupName, 1),
    "adjust_creative_id": (.creativeID, 1), "adjust_creative": (.creativeName, 1),
    "ad_network_campaign_id": (.campaignID, 1), "ad_network_campaign_name": (.campaignName, 1),
    "ad_network_adset_id": (.adgroupID, 1), "ad_network_adset_name": (.adgroupName, 1),
    "ad_network_ad_id": (.creativeID, 1), "ad_network_ad_name": (.creativeName, 1),
    "partner_campaign_id": (.campaignID, 1), "partner_campaign_name": (.campaignName, 1),
    "partner_ad_set_id": (.adgroupID, 1), "partner_ad_set_name": (.adgroupName, 1),
    "partner_ad_id": (.creativeID, 1), "partner_ad_name": (.creativeName, 1),
    "partner_creative_id": (.creativeID, 2), "partner_creative_name": (.creativeName, 2),
    "attributed_campaign_id": (.campaignID, 1), "attributed_campaign": (.campaignName, 1),
    "attributed_ad_group_id": (.adgroupID, 1), "attributed_ad_group": (.adgroupName, 1),
    "attributed_ad_creative_id": (.creativeID, 1), "attributed_ad_creative": (.creativeName, 1),
  ]

  /// The inline values among the extras of a postback, a JSON object, that was received at a time.
  package mutating func read(_ extras: ArraySlice<UInt8>, receivedAt: Int64?) -> InlineValues {
    var values = InlineValues()
    text.removeAll(keepingCapacity: true)
    text += extras
    let count = text.count
    text.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    guard (try? parser.parse(0..<count, of: &text, into: &document)) != nil else { return values }
    var ranks = [Int](repeating: 0, count: InlineValues.Field.allCases.count)
    for member in document.members {
      guard member.key.text.count <= 40, let value = string(member.value) else { continue }
      let key = key(member.key.text.indices)
      if let (field, rank) = Self.keys[key] {
        if rank > ranks[field.rawValue] {
          values.set(field, value)
          ranks[field.rawValue] = rank
        }
      } else if key == "timestamp" {
        let time = Self.time(value, receivedAt: receivedAt)
        values.forwardedAt = time ?? values.forwardedAt
        if time == nil { values.hasWrongTime = true }
      } else if key == "test" {
        if ["true", "1", "yes"].contains(value.lowercased()) { values.isTest = true }
      }
    }
    return values
  }

  private func key(_ range: Range<Int>) -> String {
    let prefix = Array("query.".utf8)
    var key = text[range].map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0.asciiLowercased }
    if key.starts(with: prefix) { key.removeFirst(prefix.count) }
    return String(decoding: key, as: UTF8.self)
  }

  /// The text of a string that is not empty, of a number or of a Boolean; nil for another value.
  private func string(_ field: JSONField) -> String? {
    switch field.kind {
    case .string, .number, .true, .false:
      field.text.count == 0 ? nil : String(decoding: text[field.text.indices], as: UTF8.self)
    default: nil
    }
  }

  /// A time in seconds, or from 10¹² on in milliseconds; nil if it is before September 2001, or more than a day after
  /// the receipt.
  private static func time(_ text: String, receivedAt: Int64?) -> Int64? {
    guard let number = Int64(text), number >= 1_000_000_000, number < 253_402_300_800_000 else { return nil }
    let time = number >= 1_000_000_000_000 ? number : number * 1000
    if let receivedAt, time > receivedAt + 86_400_000 { return nil }
    return time < 253_402_300_800_000 ? time : nil
  }
}

extension InlineValues {
  mutating func set(_ field: Field, _ value: String) {
    if values.isEmpty { values = Array(repeating: nil, count: Field.allCases.count) }
    values[field.rawValue] = value
  }
}
