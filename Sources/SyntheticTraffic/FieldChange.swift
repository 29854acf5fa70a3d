internal import SKAdNetwork

/// A change of a field, or an added field, after the postback was signed.
struct FieldChange: Sendable {
  let field: Field
  /// The signed value, or the value in the first copy; nil if the field was absent.
  let original: String?
  /// The value after the change; nil if the field was removed.
  let edited: String?
}

extension PostbackDraft {
  /// Sets a field and returns the change.
  mutating func change(_ field: Field, to value: DraftValue?) -> FieldChange {
    let original = self[field]
    self[field] = value
    return FieldChange(field: field, original: original?.text, edited: value?.text)
  }

  /// Changes a signed field to another well-formed value, so that the signed text changes.
  mutating func edit(_ field: Field, _ random: inout SeededGenerator) -> FieldChange {
    change(field, to: edited(field, self[field], &random))
  }

  /// Changes an unsigned field to another well-formed value, as a fraudster would.
  mutating func editUnsigned(_ random: inout SeededGenerator) -> FieldChange {
    guard format.hasConversionValue else { return editUnsigned1(&random) }
    if random.chance(ofHundred: 15) { return editCountry(&random) }
    if format.hasWindows, self[.coarseConversionValue] != nil || random.chance(ofHundred: 20) {
      let others = CoarseConversionValue.allCases.map { DraftValue.text($0.rawValue) }
      return change(.coarseConversionValue, to: random.pick(others.filter { $0 != self[.coarseConversionValue] }))
    }
    let others = Field.conversionValue.range.map { DraftValue.integer($0) }
    return change(.conversionValue, to: random.pick(others.filter { $0 != self[.conversionValue] }))
  }

  /// Changes an unsigned field of version 1.0, which has no conversion value and does not sign `redownload` and
  /// `source-app-id`.
  private mutating func editUnsigned1(_ random: inout SeededGenerator) -> FieldChange {
    switch random.below(3) {
    case 0: return editCountry(&random)
    case 1: return edit(.redownload, &random)
    default: return edit(.sourceAppID, &random)
    }
  }

  private mutating func editCountry(_ random: inout SeededGenerator) -> FieldChange {
    let others = Audience.countries.map { DraftValue.text($0) }
    return change(.countryCode, to: random.pick(others.filter { $0 != self[.countryCode] }))
  }

  /// Returns another value for the field, as a fraudster would choose it.
  private func edited(_ field: Field, _ value: DraftValue?, _ random: inout SeededGenerator) -> DraftValue? {
    switch field {
    case .version:
      let text = value?.text ?? ""
      let others = Version.allCases.filter { $0.rawValue < text || (text == "2.0" && $0 == .v2_1) }
      return .text(random.pick(others.map(\.rawValue)))
    case .adNetworkID, .adNetworkIdentifier:
      return .text((value?.text ?? "").withOneLetterInTheOtherCase(&random))
    case .transactionID, .postbackIdentifier:
      return .text(random.transactionID())
    case .redownload, .didWin:
      return .boolean(value != .boolean(true))
    case .campaignID, .postbackSequenceIndex, .fidelityType:
      return .integer(other(than: integer(value), in: field.range, &random))
    case .appID, .advertisedItemIdentifier, .sourceAppID, .publisherItemIdentifier:
      return value == nil ? .integer(random.storeID()) : .integer(integer(value) + random.integer(in: 1...9999))
    case .sourceIdentifier:
      let text = value?.text ?? ""
      if text.count < 4, random.chance(ofHundred: 50) { return .text(text + random.digits(4 - text.count)) }
      return .text(random.otherDigits(than: text))
    case .sourceDomain:
      return .text(value.map { "www." + $0.text } ?? random.pick(Audience.domains))
    case .conversionType, .impressionType:
      return .text(random.pick(field.documentedTexts.filter { $0 != value?.text }))
    case .marketplaceIdentifier:
      return .text(random.pick(Audience.marketplaces.filter { $0 != value?.text }))
    default:
      preconditionFailure("\(field.name) is not a signed field")
    }
  }

  /// Draws another number of a small range.
  private func other(than value: Int64, in range: ClosedRange<Int64>, _ random: inout SeededGenerator) -> Int64 {
    let count = range.upperBound - range.lowerBound + 1
    guard count > 2 else { return range.lowerBound + range.upperBound - value }
    return range.lowerBound + (value - range.lowerBound + random.integer(in: 1...count - 1)) % count
  }

  private func integer(_ value: DraftValue?) -> Int64 {
    if case .integer(let integer) = value { integer } else { 0 }
  }
}

extension SeededGenerator {
  /// Returns as many digits as `text` has, at least two, and other ones.
  fileprivate mutating func otherDigits(than text: String) -> String {
    let count = max(text.count, 2)
    let other = digits(count)
    return other != text ? other : digits(count - 1) + (text.last == "7" ? "3" : "7")
  }
}

extension String {
  /// Returns the text with the case of one ASCII letter changed. The text must have at least one letter.
  fileprivate func withOneLetterInTheOtherCase(_ random: inout SeededGenerator) -> String {
    var bytes = Array(utf8)
    let letters = bytes.indices.filter { (bytes[$0] | 0x20) &- UInt8(ascii: "a") < 26 }
    bytes[random.pick(letters)] ^= 0x20
    return String(decoding: bytes, as: UTF8.self)
  }
}
