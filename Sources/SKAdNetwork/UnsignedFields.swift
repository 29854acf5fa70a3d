internal import JSON

/// The fields of a postback that no signature covers, packed, so that copies can be compared and kept by the million.
///
/// Extra keys are not among them: forwarders add their own.
public struct UnsignedFields: Equatable, Sendable {
  /// From the lowest: conversion value 7 bits, coarse value 2, interaction 2, redownload 2, country 16. An absent field
  /// is 0, a value one more than its place among the values.
  public let bits: UInt32
  /// `source-app-id` in version 1.0, where it is not signed.
  public let sourceAppID: Int64?

  /// What was packed before.
  public init(bits: UInt32, sourceAppID: Int64?) {
    self.bits = bits
    self.sourceAppID = sourceAppID
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
    if let code = postback.countryCode { bits |= bytes[code.indices].reduce(0) { $0 << 8 | UInt32($1) } << 13 }
    self.bits = bits
    sourceAppID = isUnsignedToo ? postback.sourceAppID : nil
  }

  /// A field that two copies of a postback do not agree on. A nil is an absent field.
  public struct Conflict: Equatable, Sendable {
    /// The field.
    public var field: Field
    /// What the copy that came first has.
    public var first: String?
    /// What this copy has.
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
      first.text == later.text ? nil : Conflict(field: first.field, first: first.text, later: later.text)
    }
  }

  private var values: [(field: Field, text: String?)] {
    func part(_ shift: UInt32, _ width: UInt32) -> UInt32 { bits >> shift & (1 << width - 1) }
    func word<Word: CaseIterable & RawRepresentable<String>>(_ place: UInt32, _: Word.Type) -> String? {
      place == 0 ? nil : Array(Word.allCases)[Int(place) - 1].rawValue
    }
    let country = part(13, 16)
    let letters = [UInt8(truncatingIfNeeded: country >> 8), UInt8(truncatingIfNeeded: country)]
    return [
      (.conversionValue, part(0, 7) == 0 ? nil : String(part(0, 7) - 1)),
      (.coarseConversionValue, word(part(7, 2), CoarseConversionValue.self)),
      (.adInteractionType, word(part(9, 2), AdInteractionType.self)),
      (.redownload, part(11, 2) == 0 ? nil : String(part(11, 2) == 2)),
      (.countryCode, country == 0 ? nil : String(decoding: letters, as: UTF8.self)),
      (.sourceAppID, sourceAppID.map { String($0) }),
    ]
  }
}
