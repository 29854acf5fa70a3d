internal import Base
package import JSON
internal import Tables

/// The reader of the payloads of AdServices and of iAd's dictionary, version 3.1.
package enum AttributionPayload {
  private enum Kind {
    case boolean
    case identifier
    case country
    case word([String])
    case time
    case text
  }

  private struct Field {
    let column: ColumnName
    let kind: Kind
    /// Indicates that Apple writes the value as a text, so that a number as text is not remarkable.
    var isText = false
  }

  private static let adServices: [String: Field] = [
    "attribution": Field(column: .attribution, kind: .boolean),
    "orgId": Field(column: .orgID, kind: .identifier),
    "campaignId": Field(column: .campaignID, kind: .identifier),
    "adGroupId": Field(column: .adGroupID, kind: .identifier),
    "keywordId": Field(column: .keywordID, kind: .identifier),
    "adId": Field(column: .adID, kind: .identifier),
    "creativeSetId": Field(column: .creativeSetID, kind: .identifier),
    "countryOrRegion": Field(column: .country, kind: .country),
    "conversionType": Field(column: .conversionType, kind: .word(AttributionWords.conversionType)),
    "claimType": Field(column: .claimType, kind: .word(AttributionWords.claimType)),
    "clickDate": Field(column: .clickAt, kind: .time),
    "impressionDate": Field(column: .impressionAt, kind: .time),
    "supplyPlacement": Field(column: .supplyPlacement, kind: .word(AttributionWords.supplyPlacement)),
  ]

  private static let iAd: [String: Field] = [
    "iad-attribution": Field(column: .attribution, kind: .boolean, isText: true),
    "iad-org-id": Field(column: .orgID, kind: .identifier, isText: true),
    "iad-org-name": Field(column: .orgName, kind: .text),
    "iad-campaign-id": Field(column: .campaignID, kind: .identifier, isText: true),
    "iad-campaign-name": Field(column: .campaignName, kind: .text),
    "iad-adgroup-id": Field(column: .adGroupID, kind: .identifier, isText: true),
    "iad-adgroup-name": Field(column: .adGroupName, kind: .text),
    "iad-keyword-id": Field(column: .keywordID, kind: .identifier, isText: true),
    "iad-keyword": Field(column: .keyword, kind: .text),
    "iad-keyword-matchtype": Field(column: .keywordMatchType, kind: .word(AttributionWords.matchType)),
    "iad-creativeset-id": Field(column: .creativeSetID, kind: .identifier, isText: true),
    "iad-creativeset-name": Field(column: .creativeSetName, kind: .text),
    "iad-country-or-region": Field(column: .country, kind: .country),
    "iad-conversion-type": Field(column: .conversionType, kind: .word(AttributionWords.conversionType)),
    "iad-click-date": Field(column: .clickAt, kind: .time),
  ]

  /// Reads a payload into a row. Returns the reason if it is none, as a sentence; then the row is as before.
  package static func read(_ payload: JSONValue, into row: inout AttributionRow) -> String? {
    guard case .object(let members) = payload else { return "The payload is no object." }
    if let legacy = members.first(where: { $0.key.lowercased().hasPrefix("version") }), members.count == 1 {
      guard case .object(let fields) = legacy.value else { return "The dictionary of \(legacy.key) is no object." }
      return read(fields, iAd, .iAd, version: String(legacy.key.dropFirst("version".count)), into: &row)
    }
    if members.contains(where: { $0.key.hasPrefix("iad-") }) {
      return read(members, iAd, .iAd, version: nil, into: &row)
    }
    return read(members, adServices, .adServices, version: "v1", into: &row)
  }

  private static func read(
    _ members: [JSONValue.Member],
    _ fields: [String: Field],
    _ source: AttributionSource,
    version: String?,
    into row: inout AttributionRow
  ) -> String? {
    var read = row
    var extras: [JSONValue.Member] = []
    for member in members where member.value != .null {
      guard let field = fields[member.key] else {
        extras.append(member)
        continue
      }
      if case .word(let words) = field.kind, let text = member.value.text, !text.isEmpty {
        // Apple's own examples and its changelog differ in letter case.
        let word = words.first { $0.lowercased() == text.lowercased() }
        read[field.column] = .string(word ?? text)
        if word == nil { read.flag(.unknownValues) }
        continue
      }
      guard let (value, isCoerced) = value(member.value, field) else {
        // An empty text is no value.
        if member.value == .string("") { continue }
        extras.append(member)
        read.flag(.invalidValues)
        continue
      }
      read[field.column] = value
      if isCoerced { read.flag(.coercedValues) }
    }
    read.add(extras)
    guard let isAttributed = read.boolean(.attribution) else {
      let name = source == .iAd ? "iad-attribution" : "attribution"
      return "The payload has no Boolean \(name)."
    }
    if !isAttributed, members.count > 1 { read.flag(.fieldsWithoutAttribution) }
    read[.source] = .string(source.rawValue)
    read[.apiVersion] = version.flatMap { $0.isEmpty ? nil : .string($0) }
    read[.environment] = .string((isTest(read) ? AttributionEnvironment.test : .production).rawValue)
    read.outcome = .payload
    row = read
    return nil
  }

  /// Indicates that a payload is the one that Apple answers outside the App Store.
  private static func isTest(_ row: AttributionRow) -> Bool {
    [.orgID, .campaignID, .adGroupID].allSatisfy { row.integer($0) == 1_234_567_890 }
  }

  private static func value(_ value: JSONValue, _ field: Field) -> (JSONValue, isCoerced: Bool)? {
    switch field.kind {
    case .boolean:
      switch value {
      case .bool: return (value, false)
      case .string(let text):
        guard ["true", "false"].contains(text.lowercased()) else { return nil }
        return (.bool(text.lowercased() == "true"), !field.isText)
      // Foundation prints true as 1.
      case .number("1"), .number("0"): return (.bool(value == .number("1")), false)
      default: return nil
      }
    case .identifier:
      guard let number = value.integer ?? value.text.flatMap({ Int64($0) }), number >= 0 else { return nil }
      return (.integer(number), value.text != nil && !field.isText)
    case .country:
      guard let text = value.text?.uppercased(), text.utf8.count == 2,
        text.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
      else { return nil }
      return (.string(text), false)
    case .word: return nil
    case .time: return value.text.flatMap(time).map { (.string($0.description), false) }
    case .text:
      // A name of digits is printed without quotes.
      if case .number(let digits) = value { return (.string(digits), false) }
      return value.text.flatMap { $0.isEmpty ? nil : (value, false) }
    }
  }

  /// The time of a text such as `2024-10-08T17:17Z`, also with seconds or an offset.
  static func time(_ text: String) -> Timestamp? {
    if let time = Timestamp(text) { return time }
    let (minutes, offset) = (text.prefix(16), text.dropFirst(16))
    return minutes.utf8.count == 16 ? Timestamp("\(minutes):00\(offset)") : nil
  }
}
