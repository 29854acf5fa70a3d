internal import JSON
package import SKAdNetwork
package import TableReading
package import Tables

/// A field that Apple does not sign, so that anyone who forwards a postback can change it.
package enum UnsignedField: Int, CaseIterable, Sendable {
  case conversionValue, coarseConversionValue, countryCode, adInteractionType, redownload, sourceAppID

  /// The name of the column of `skan_postbacks`.
  package var name: ColumnName { names.column }

  /// The field of the postback.
  var field: Field { names.field }

  private var names: (column: ColumnName, field: Field) {
    switch self {
    case .conversionValue: (.conversionValue, .conversionValue)
    case .coarseConversionValue: (.coarseConversionValue, .coarseConversionValue)
    case .countryCode: (.countryCode, .countryCode)
    case .adInteractionType: (.adInteractionType, .adInteractionType)
    case .redownload: (.redownload, .redownload)
    case .sourceAppID: (.sourceAppID, .sourceAppID)
    }
  }

  /// Indicates that the field is a conversion value.
  package var isValue: Bool { self == .conversionValue || self == .coarseConversionValue }

  /// The fields that postbacks of a format may have and that Apple does not sign there.
  package static func fields(of format: PostbackFormat) -> [UnsignedField] { fields[format] ?? [] }

  private static let fields = Dictionary(
    uniqueKeysWithValues: PostbackFormat.allCases.map { format in
      let unsigned = Set(format.rules.unsigned.map(\.field))
      return (format, allCases.filter { unsigned.contains($0.field) })
    }
  )
}

/// The unsigned values of a copy of a postback.
///
/// Each is a number: a conversion value or an id is itself, a Boolean is 0 or 1, a word is its index, and a country is
/// its two letters.
package struct UnsignedValues: Hashable, Sendable {
  /// The number that stands for an absent value.
  package static let absent: Int64 = -1
  /// The number that stands for a value that could not be read.
  package static let unreadable: Int64 = -2
  /// The number of bytes of `record`.
  static let recordBytes = 15

  private var fine: Int8 = -1
  private var coarse: Int8 = -1
  private var interaction: Int8 = -1
  private var redownload: Int8 = -1
  private var country: Int32 = -1
  private var sourceApp: Int64 = -1

  /// Values that are all absent.
  package init() {}

  package subscript(field: UnsignedField) -> Int64 {
    get {
      switch field {
      case .conversionValue: Int64(fine)
      case .coarseConversionValue: Int64(coarse)
      case .countryCode: Int64(country)
      case .adInteractionType: Int64(interaction)
      case .redownload: Int64(redownload)
      case .sourceAppID: sourceApp
      }
    }
    set {
      switch field {
      case .conversionValue: fine = Int8(truncatingIfNeeded: newValue)
      case .coarseConversionValue: coarse = Int8(truncatingIfNeeded: newValue)
      case .countryCode: country = Int32(truncatingIfNeeded: newValue)
      case .adInteractionType: interaction = Int8(truncatingIfNeeded: newValue)
      case .redownload: redownload = Int8(truncatingIfNeeded: newValue)
      case .sourceAppID: sourceApp = newValue
      }
    }
  }

  /// The number of a word in its enumeration.
  package static func place<Word: CaseIterable & Equatable>(of word: Word?) -> Int64 {
    for (place, other) in Word.allCases.enumerated() where other == word { return Int64(place) }
    return absent
  }

  /// The number of a country of two letters. Rows of earlier versions may have letters that are no country.
  static func country(_ letters: some Collection<UInt8>) -> Int64 {
    guard letters.count == 2, let first = letters.first, let second = letters.dropFirst().first else { return absent }
    return CountryCode(first, second).map { Int64($0.letters) } ?? unreadable
  }

  /// The two letters of a country.
  package static func letters(_ country: Int64) -> [UInt8] {
    [UInt8(truncatingIfNeeded: country >> 8), UInt8(truncatingIfNeeded: country)]
  }

  /// A value as text: `absent`, `unreadable`, or as the columns have it.
  package static func text(_ value: Int64, of field: UnsignedField) -> String {
    switch value {
    case absent: return "absent"
    case unreadable: return "unreadable"
    default: break
    }
    return switch field {
    case .conversionValue, .sourceAppID: String(value)
    case .coarseConversionValue: CoarseConversionValue.allCases[Int(value)].rawValue
    case .countryCode: String(decoding: letters(value), as: UTF8.self)
    case .adInteractionType: AdInteractionType.allCases[Int(value)].rawValue
    case .redownload: value == 1 ? "true" : "false"
    }
  }
}

extension UnsignedValues {
  /// The values of a postback.
  package init(_ postback: Postback) {
    for field in UnsignedField.fields(of: postback.format) {
      if postback.unreadableFields.contains(field.field) {
        self[field] = Self.unreadable
        continue
      }
      switch field {
      case .conversionValue: self[field] = postback.conversionValue ?? Self.absent
      case .coarseConversionValue: self[field] = Self.place(of: postback.coarseConversionValue)
      case .countryCode: self[field] = postback.countryCode.map { Int64($0.letters) } ?? Self.absent
      case .adInteractionType: self[field] = Self.place(of: postback.adInteractionType)
      case .redownload: self[field] = postback.redownload.map { $0 ? 1 : 0 } ?? Self.absent
      case .sourceAppID: self[field] = postback.sourceAppID ?? Self.absent
      }
    }
  }

  /// The values of the current row of `skan_postbacks`, which can have some fields.
  package init(_ row: borrowing RowCursor, _ columns: PostbackColumns, _ fields: [UnsignedField]) {
    for field in fields {
      switch field {
      case .conversionValue: self[field] = row.integer(columns.conversionValue) ?? Self.absent
      case .coarseConversionValue:
        let word = row.text(columns.coarseValue).flatMap { CoarseConversionValue(rawValue: $0) }
        self[field] = Self.place(of: word)
      case .countryCode:
        let letters = row.cell(columns.country).map { row.bytes[$0.indices] }
        self[field] = letters.map { Self.country($0) } ?? Self.absent
      case .adInteractionType:
        let word = row.text(columns.adInteractionType).flatMap { AdInteractionType(rawValue: $0) }
        self[field] = Self.place(of: word)
      case .redownload: self[field] = row.boolean(columns.redownload).map { $0 ? 1 : 0 } ?? Self.absent
      case .sourceAppID: self[field] = row.integer(columns.sourceAppID) ?? Self.absent
      }
    }
    guard let flags = row.text(columns.tierFlags), flags.contains("unreadable_") else { return }
    for field in fields where flags.contains("\"unreadable_\(field.name.rawValue)\"") { self[field] = Self.unreadable }
  }

  /// The values as bytes.
  var record: [UInt8] {
    var record = [fine, coarse, interaction, redownload].map { UInt8(bitPattern: $0) }
    record.append(UInt8(truncatingIfNeeded: country >> 16))
    record.append(UInt8(truncatingIfNeeded: country >> 8))
    record.append(UInt8(truncatingIfNeeded: country))
    record.append(littleEndian: sourceApp)
    return record
  }

  /// Reads values from bytes.
  init(record: ArraySlice<UInt8>) {
    let start = record.startIndex
    fine = Int8(bitPattern: record[start])
    coarse = Int8(bitPattern: record[start + 1])
    interaction = Int8(bitPattern: record[start + 2])
    redownload = Int8(bitPattern: record[start + 3])
    country =
      Int32(Int8(bitPattern: record[start + 4])) << 16 | Int32(record[start + 5]) << 8 | Int32(record[start + 6])
    sourceApp = record.integer(at: 7)
  }
}

extension UnsignedValues: Comparable {
  /// Orders values by their fields, so that copies have one order whatever order they came in.
  package static func < (left: UnsignedValues, right: UnsignedValues) -> Bool {
    for field in UnsignedField.allCases where left[field] != right[field] { return left[field] < right[field] }
    return false
  }
}

extension PostbackFormat {
  /// The format of the current row of `skan_postbacks`.
  package init(_ row: borrowing RowCursor, _ columns: PostbackColumns) {
    self = row.text(columns.version).flatMap { Version(rawValue: $0) }.map { .skAdNetwork($0) } ?? .adAttributionKit
  }
}
