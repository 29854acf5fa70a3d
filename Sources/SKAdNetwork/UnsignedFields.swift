internal import JSON

/// The unsigned fields of a postback, packed, so that millions of copies can be stored and compared.
///
/// Values with the same meaning are equal, in any spelling. Extra keys are not included: forwarders add their own.
public struct UnsignedFields: Equatable, Sendable {
  /// The packed fields, from the lowest bit: conversion value 7 bits, coarse value 2, interaction 2, redownload 2,
  /// country 16, a bit for an unreadable coarse value, and a bit that says that `number` is the hash of a domain. An
  /// absent field is 0. A country is its two letters; any other value is its index among the values plus one.
  public let bits: UInt32
  /// The field of 64 bits: `source-app-id` in version 1.0, where it is not signed, or the hash of a source domain
  /// beside a source app. It is -1 for a `source-app-id` that could not be read, and nil where there is neither.
  public let number: Int64?

  /// The fields from their packed form. Letter-case bits are dropped.
  public init(bits: UInt32, number: Int64?) {
    // Earlier versions of the packing kept letter case.
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
    let unsigned = postback.format.rules.unsignedSet
    var bits = postback.conversionValue.map { UInt32(truncatingIfNeeded: $0) & 63 + 1 } ?? 0
    bits |= place(postback.coarseConversionValue) << 7
    bits |= place(postback.adInteractionType) << 9
    if unsigned.contains(.redownload), let redownload = postback.redownload { bits |= (redownload ? 2 : 1) << 11 }
    if let code = postback.countryCode { bits |= UInt32(code.letters) << 13 }
    var number = unsigned.contains(.sourceAppID) ? postback.sourceAppID : nil
    if !postback.unreadableFields.isEmpty {
      for (field, _, mark) in Self.unreadable where postback.unreadableFields.contains(field) { bits |= mark }
      if postback.unreadableFields.contains(.sourceAppID) { number = Self.unreadableNumber }
    }
    if let domain = postback.unsignedSourceDomain {
      bits |= Self.isDomain
      number = Self.hash(of: bytes.span.extracting(domain.indices))
    }
    (self.bits, self.number) = (bits, number)
  }

  /// The marks of unreadable values: in the bits of the mask `bits`, a pattern `mark` that no value has.
  private static let unreadable: [(field: Field, bits: UInt32, mark: UInt32)] = [
    (.conversionValue, 127, 127), (.coarseConversionValue, 1 << 29, 1 << 29), (.adInteractionType, 3 << 9, 3 << 9),
    (.redownload, 3 << 11, 3 << 11), (.countryCode, 0xFFFF << 13, 1 << 13),
  ]
  private static let unreadableNumber: Int64 = -1
  private static let isDomain: UInt32 = 1 << 30
  /// The bits in which small letters of a country differ from capitals.
  private static let letterCase: UInt32 = 0x2020 << 13

  /// A hash of 63 bits that tells domains apart (FNV-1a). An attacker can make two domains with the same hash, but
  /// gains nothing: both stay extras.
  private static func hash(of text: Span<UInt8>) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x0000_0100_0000_01B3 }
    return Int64(hash >> 1)
  }

  /// A field in which two copies of a postback disagree. Nil stands for an absent field.
  public struct Conflict: Equatable, Sendable {
    /// The field.
    public var field: Field
    /// The value in the first copy: `unreadable` where it could not be read, `other` for a source domain, whose text
    /// is in the extras.
    public var first: String?
    /// The value in the later copy, in the same form.
    public var later: String?

    /// A conflict between two values of a field.
    public init(field: Field, first: String?, later: String?) {
      (self.field, self.first, self.later) = (field, first, later)
    }
  }

  /// Returns the fields in which `later` differs from this copy.
  public func conflicts(with later: UnsignedFields) -> [Conflict] {
    zip(values, later.values).compactMap { first, later in
      first == later ? nil : Conflict(field: first.field, first: first.text, later: later.text)
    }
  }

  private struct Value: Equatable {
    let field: Field
    let text: String?
    /// The hash that distinguishes values with the same text.
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

  /// The fields in the order of conflicts.
  package static var fields: [Field] { UnsignedFields(bits: 0, number: nil).values.map(\.field) }

  private static let unreadableText = "unreadable"
}
