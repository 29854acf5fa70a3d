internal import SKAdNetwork

/// The values that may have stood in a field before it was edited.
struct Alternatives {
  /// A few that are likely: tried in pairs with others' too.
  var few: [String?] = []
  /// More, tried alone.
  var many: [String?] = []

  /// The alternatives of a field that arrived with `value`; `known` are values of the field in the same data.
  init(_ field: Field, _ value: String?, known: [String]) {
    let likely = known.prefix(Self.knownInPairs)
    let arrived = value
    // Of a text that no field of Apple's has there would be variants without end.
    let value = (value?.utf8.count ?? 0) > Self.longestText ? nil : value
    few = Self.few(field)
    switch field {
    case .sourceIdentifier: addDigits(value)
    case .adNetworkID, .adNetworkIdentifier:
      few += likely.map(\.self)
      many += known.map(\.self)
      addText(value)
      if let name = value?.prefix(while: { $0 != "." }) {
        for ending in [".skadnetwork", ".adattributionkit", ""] { many.append(name + ending) }
      }
    case .transactionID, .postbackIdentifier:
      addText(value)
      let isLower = value.map { $0.lowercased() == $0 } ?? true
      let digits = isLower ? "0123456789abcdef" : "0123456789ABCDEF"
      for text in value?.withOneOther(of: digits) ?? [] { many.append(text) }
    case .appID, .advertisedItemIdentifier: addNumber(value, known)
    case .sourceAppID, .publisherItemIdentifier:
      few.append(nil)
      if field == .publisherItemIdentifier { few.append("0") }
      addNumber(value, known)
    case .sourceDomain:
      few += [nil] + likely.map(\.self)
      for domain in value?.likelyDomains ?? [] { few.append(domain) }
      many += known.map(\.self)
      addText(value)
    case .marketplaceIdentifier, .conversionType, .impressionType:
      few += [nil] + likely.map(\.self)
      addText(value)
    default: break
    }
    few = Self.distinct(few, except: [arrived])
    many = Self.distinct(many, except: [arrived] + few)
  }

  private static let knownInPairs = 16
  private static let longestText = 256

  private mutating func addText(_ value: String?) {
    guard let value else { return }
    for text in value.likelyOriginals { few.append(text) }
    for text in value.withOneLetterInTheOtherCase { many.append(text) }
  }

  private mutating func addNumber(_ value: String?, _ known: [String]) {
    few += known.prefix(Self.knownInPairs).map(\.self)
    many += known.map(\.self)
    guard let value else { return }
    for text in value.withOneOther(of: "0123456789") + value.withOneDigitMoreOrLess { many.append(text) }
  }

  /// The identifier cut, as Apple does where the crowd is small, at either end; and filled up with zeros, which those
  /// lose who take it for a number.
  private mutating func addDigits(_ value: String?) {
    guard let value, value.count <= 8 else { return }
    for count in 2..<max(value.count, 2) { few += [String(value.suffix(count)), String(value.prefix(count))] }
    for count in 2...4 where count > value.count {
      few.append(String(repeating: "0", count: count - value.count) + value)
    }
  }

  private static func distinct(_ values: [String?], except others: [String?]) -> [String?] {
    var seen = Set(others)
    return values.filter { seen.insert($0).inserted }
  }

  /// All values of a field that has but a few.
  static func few(_ field: Field) -> [String] {
    switch field {
    case .redownload, .didWin: ["true", "false"]
    case .fidelityType: ["1", "0"]
    case .postbackSequenceIndex: ["0", "1", "2"]
    case .conversionType: ["download", "redownload", Postback.reengagement, Postback.otherReengagement]
    case .impressionType: ["app-impression", "web-impression"]
    case .marketplaceIdentifier: ["com.apple.AppStore"]
    default: []
    }
  }

  /// All values of a field that can be searched whole: of a campaign 100, of a source identifier those of that length.
  static func all(_ field: Field, digits: Int = 0) -> [String] {
    switch field {
    case .campaignID: return (1...100).map { String($0) }
    case .sourceIdentifier:
      let bounds = [2: 100, 3: 1000, 4: 10_000]
      return (0..<(bounds[digits] ?? 0)).map { number in
        let text = String(number)
        return String(repeating: "0", count: digits - text.count) + text
      }
    default: return []
    }
  }
}

extension String {
  /// The domain with and without what people put in front of one, or behind.
  fileprivate var likelyDomains: [String] {
    var domain = self[...]
    for scheme in ["https://", "http://"] where domain.hasPrefix(scheme) { domain = domain.dropFirst(scheme.count) }
    let host = domain.prefix { $0 != "/" && $0 != ":" }
    let bare = host.hasPrefix("www.") ? host.dropFirst(4) : host
    return [
      String(domain), String(host), String(bare), "www." + bare,
      bare.hasSuffix(".") ? String(bare.dropLast()) : "m." + bare,
    ]
  }
}
