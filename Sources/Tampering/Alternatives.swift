internal import Base
internal import SKAdNetwork

/// The values that may have stood in a field before it was edited.
struct Alternatives {
  /// A few likely values, tried alone and in pairs with changes of other fields.
  var few: [String?] = []
  /// Further values, tried alone.
  var many: [String?] = []

  /// Makes the alternatives of a field that arrived with `value`; `known` are values of the field in the same data.
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

  /// Adds the identifier cut at either end, as Apple cuts it for small crowds, and filled up with leading zeros, which
  /// are lost if a forwarder treats it as a number.
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

  /// Returns all values of a field that has only a few; none for other fields.
  static func few(_ field: Field) -> [String] {
    if let values = field.type.values { return values.count <= mostFew ? values : [] }
    return field.documentedTexts + (field == .conversionType ? [Postback.otherReengagement] : [])
  }

  private static let mostFew = 3

  /// Returns all values of a field that is searched completely: 100 for a campaign, all of `digits` digits for a source
  /// identifier.
  static func all(_ field: Field, digits: Int = 0) -> [String] {
    switch field {
    case .campaignID: return field.type.values ?? []
    case .sourceIdentifier:
      let bounds = [2: 100, 3: 1000, 4: 10_000]
      return (0..<(bounds[digits] ?? 0)).map { $0.digits(digits) }
    default: return []
    }
  }
}

extension String {
  /// The domain with and without common additions before and after it, such as a scheme, a port, a path and `www.`.
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

extension String {
  /// The text without the white space around it.
  var withoutWhiteSpaceAround: String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return ""
    }
    return String(self[first...last])
  }

  /// The texts that may have stood here before a change of white space, percent-encoding or letter case.
  var likelyOriginals: [String] {
    var variants = [withoutWhiteSpaceAround, lowercased(), uppercased()]
    if let percentDecoded {
      variants += [percentDecoded, percentDecoded.withoutWhiteSpaceAround]
    }
    if let point = firstIndex(of: ".") {
      let (name, ending) = (self[..<point], self[point...])
      for name in [String(name), name.uppercased(), name.lowercased()] {
        variants += [name + ending, name + ending.lowercased()]
      }
    }
    return variants.filter { $0 != self }
  }

  /// The texts in which one ASCII letter has the other case.
  var withOneLetterInTheOtherCase: [String] {
    let bytes = Array(utf8)
    return bytes.indices.filter { (bytes[$0] | 0x20) &- UInt8(ascii: "a") < 26 }.map { index in
      var other = bytes
      other[index] ^= 0x20
      return String(decoding: other, as: UTF8.self)
    }
  }

  /// Returns the texts in which one character of the alphabet is replaced by another one of it, or two neighbours are
  /// exchanged.
  func withOneOther(of alphabet: String) -> [String] {
    let bytes = Array(utf8)
    let digits = Array(alphabet.utf8)
    var variants: [[UInt8]] = []
    for index in bytes.indices where digits.contains(bytes[index]) {
      for digit in digits where digit != bytes[index] {
        var other = bytes
        other[index] = digit
        variants.append(other)
      }
      if index > 0, bytes[index] != bytes[index - 1] {
        var other = bytes
        other.swapAt(index, index - 1)
        variants.append(other)
      }
    }
    return variants.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The texts with one digit more or one character less.
  var withOneDigitMoreOrLess: [String] {
    let bytes = Array(utf8)
    var variants: [[UInt8]] = []
    for index in bytes.indices where bytes.count > 1 {
      var other = bytes
      other.remove(at: index)
      variants.append(other)
    }
    for index in 0...bytes.count {
      for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
        var other = bytes
        other.insert(digit, at: index)
        variants.append(other)
      }
    }
    return variants.map { String(decoding: $0, as: UTF8.self) }
  }
}
