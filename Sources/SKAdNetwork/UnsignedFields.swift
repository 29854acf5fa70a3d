internal import JSON

/// The fields of a postback that no signature covers, packed, so that copies can be compared and kept by the million.
///
/// Values that mean the same are equal, however they were written. Extra keys are not among them: forwarders add their own.
public struct UnsignedFields: Equatable, Sendable {
  /// From the lowest: conversion value 7 bits, coarse value 2, interaction 2, redownload 2, country 16, a bit for a coarse
  /// value that is unreadable, and a bit that says what `number` is. An absent field is 0, a value one more than its place
  /// among the values.
  public let bits: UInt32
  /// What takes 64 bits: `source-app-id` in version 1.0, where it is not signed, or the hash of a source domain beside a
  /// source app.
  public let number: Int64?

  /// What was packed before.
  public init(bits: UInt32, number: Int64?) {
    // Letter case was kept in former versions of the packing.
    self.bits = bits & ~Self.letterCase
    self.number = number
  }

  /// The unsigned fields of a postback.
  public init(_ postback: Postback, of bytes: [UInt8]) {
    func place<Word: CaseIterable & Equatable>(_ word: Word?) -> UInt32 {
      guard let word else { return 0 }
      var place: UInt32 = 1
      for other in Word.allCases {
        if other == word { break }
        place += 1
      }
      return place
    }
    let isUnsignedToo = postback.version == .v1_0
    var bits = postback.conversionValue.map { UInt32(truncatingIfNeeded: $0) & 63 + 1 } ?? 0
    bits |= place(postback.coarseConversionValue) << 7
    bits |= place(postback.adInteractionType) << 9
    if isUnsignedToo, let redownload = postback.redownload { bits |= (redownload ? 2 : 1) << 11 }
    if let code = postback.countryCode { bits |= UInt32(code.letters) << 13 }
    var number = isUnsignedToo ? postback.sourceAppID : nil
    if !postback.unreadableFields.isEmpty {
      for (field, _, mark) in Self.unreadable where postback.unreadableFields.contains(field) { bits |= mark }
      if postback.unreadableFields.contains(.sourceAppID) { number = Self.unreadableNumber }
    }
    if let domain = postback.unsignedSourceDomain {
      bits |= Self.isDomain
      number = Self.hash(of: bytes.span.extracting(domain.indices))
    }
    self.bits = bits
    self.number = number
  }

  /// What stands for a value that cannot be read, in which bits: no value has it.
  private static let unreadable: [(field: Field, bits: UInt32, mark: UInt32)] = [
    (.conversionValue, 127, 127), (.coarseConversionValue, 1 << 29, 1 << 29), (.adInteractionType, 3 << 9, 3 << 9),
    (.redownload, 3 << 11, 3 << 11), (.countryCode, 0xFFFF << 13, 1 << 13),
  ]
  private static let unreadableNumber: Int64 = -1
  private static let isDomain: UInt32 = 1 << 30
  /// The bits in which small letters of a country differ from capitals.
  private static let letterCase: UInt32 = 0x2020 << 13

  /// 63 bits that tell domains apart (FNV-1a). Somebody can make two that agree, and gains nothing: both stay extras.
  private static func hash(of text: Span<UInt8>) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x0000_0100_0000_01B3 }
    return Int64(hash >> 1)
  }

  /// A field that two copies of a postback do not agree on. A nil is an absent field.
  public struct Conflict: Equatable, Sendable {
    /// The field.
    public var field: Field
    /// What the copy that came first has; `unreadable`, and `other` for a source domain, which is in its extras.
    public var first: String?
    /// What this copy has; likewise.
    public var later: String?

    /// A disagreement.
    public init(field: Field, first: String?, later: String?) {
      self.field = field
      self.first = first
      self.later = later
    }
  }

  /// Where `later` differs.
  public func conflicts(with later: UnsignedFields) -> [Conflict] {
    zip(values, later.values).compactMap { first, later in
      first == later ? nil : Conflict(field: first.field, first: first.text, later: later.text)
    }
  }

  private struct Value: Equatable {
    let field: Field
    let text: String?
    /// Tells values apart whose texts are the same.
    var hash: Int64?
  }

  private var values: [Value] {
    func part(_ shift: UInt32, _ width: UInt32) -> UInt32 { bits >> shift & (1 << width - 1) }
    func value(_ field: Field, _ text: String?) -> Value {
      let isUnreadable = Self.unreadable.contains { $0.field == field && bits & $0.bits == $0.mark }
      return Value(field: field, text: isUnreadable ? Self.unreadableText : text)
    }
    func word<Word: CaseIterable & RawRepresentable<String>>(_ place: UInt32, _: Word.Type) -> String? {
      let words = Array(Word.allCases)
      return place > 0 && place <= words.count ? words[Int(place) - 1].rawValue : nil
    }
    let isDomain = bits & Self.isDomain != 0
    let country = part(13, 16)
    let letters = [UInt8(truncatingIfNeeded: country >> 8), UInt8(truncatingIfNeeded: country)]
    return [
      value(.conversionValue, part(0, 7) == 0 ? nil : String(part(0, 7) - 1)),
      value(.coarseConversionValue, word(part(7, 2), CoarseConversionValue.self)),
      value(.adInteractionType, word(part(9, 2), AdInteractionType.self)),
      value(.redownload, part(11, 2) == 0 ? nil : String(part(11, 2) == 2)),
      value(.countryCode, country == 0 ? nil : String(decoding: letters, as: UTF8.self)),
      Value(
        field: .sourceAppID,
        text: isDomain ? nil : number.map { $0 == Self.unreadableNumber ? Self.unreadableText : String($0) }
      ),
      Value(field: .sourceDomain, text: isDomain ? "other" : nil, hash: isDomain ? number : nil),
    ]
  }

  private static let unreadableText = "unreadable"
}
