internal import Base
internal import Signatures
internal import TableReading

/// A session or an event as it was written: the texts of its fields, and its place in the input.
package struct SessionRecord {
  /// The texts by field. Objects are their JSON. An empty text is kept only for `idfa`, which is empty without consent.
  package private(set) var texts: [MetadataField: String] = [:]
  /// The names in other letter case than the guide's.
  private(set) var otherCaseNames: [String] = []
  /// The translated names, and the unknown ones that look like metadata.
  private(set) var unknownNames: [String] = []
  /// Indicates a name for SKAdNetwork 3.
  private(set) var hasLegacyNames = false
  /// The number of the input among all inputs.
  var file: UInt32 = 0
  /// The number of the line in the input.
  var line: UInt32 = 0

  /// The most bytes of a text that are kept.
  static let longestText = 4096

  private static let mostNames = 16

  /// Adds a field by its name in the row; unknown names that do not look like metadata are left out.
  mutating func add(_ name: String, _ text: String) throws(SessionDefect) {
    guard let (field, spelling) = MetadataField.named(name) else {
      if MetadataField.isLikeMetadata(name), !text.isEmpty { note(name, in: \.unknownNames) }
      return
    }
    guard !text.isEmpty || field == .idfa else { return }
    guard text.utf8.count <= Self.longestText else {
      throw SessionDefect("The value of \(name.quotedExcerpt) has more than \(Self.longestText) bytes.")
    }
    switch spelling {
    case .exact: break
    case .legacy: hasLegacyNames = true
    case .otherCase: note(name, in: \.otherCaseNames)
    case .translated: note(name, in: \.unknownNames)
    }
    // The guide's own name decides where a row has several names of a field.
    if texts[field] == nil || spelling == .exact { texts[field] = text }
  }

  private mutating func note(_ name: String, in list: WritableKeyPath<SessionRecord, [String]>) {
    if self[keyPath: list].count < Self.mostNames { self[keyPath: list].append(String(name.prefix(64))) }
  }
}

/// The reason for which a row cannot be checked, as a sentence.
package struct SessionDefect: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

extension SessionRecord {
  /// The id of the device in small letters; nil if there is none.
  package var deviceID: String? {
    for field in [MetadataField.device, .idfv, .idfa] {
      guard let id = texts[field]?[...].trimmed.lowercased(), !Self.wordsForNone.contains(id) else { continue }
      // All are zeros without consent.
      if !id.allSatisfy({ "0-".contains($0) }) { return id }
    }
    return nil
  }

  /// The texts that exports write where there is no id, in small letters.
  private static let wordsForNone: Set<String> = [
    "", "null", "(null)", "\\n", "nil", "none", "undefined", "unknown",
  ]

  /// Returns the first 80 bits of the SHA-256 of the device's id. Throws a `SessionDefect` if the row has none.
  private func deviceDigest() throws -> UInt128 {
    guard let id = deviceID else { throw SessionDefect("The row has no device: give device, idfv or idfa.") }
    var hash = try SHA256()
    let digest = try hash.digest(of: Array(id.utf8).span).words
    return UInt128(digest.0) << 16 | UInt128(digest.1 >> 48)
  }

  /// The bits of a time in a `sortKey`.
  package static let timeBits: UInt128 = 48

  /// Returns the key by which rows are sorted: 80 bits of the device's SHA-256, and the time. Throws a `SessionDefect` if the row
  /// does not have both.
  package func sortKey() throws -> UInt128 { try deviceDigest() << Self.timeBits | UInt128(try receivedAt()) }

  /// Returns the 80 bits of a device as hexadecimal digits, which stand for its id where ids are not shown.
  package static func hiddenID(_ device: UInt128) -> String { device.digits(20, radix: 16) }

  /// Returns the time at which the app's server received the row, in milliseconds since 1970.
  package func receivedAt() throws(SessionDefect) -> Int64 {
    guard let text = texts[.receivedAt] else { throw SessionDefect("The row has no received_at.") }
    guard let time = Self.time(text) else {
      throw SessionDefect("received_at is \(text.quotedExcerpt), and no time such as 2026-03-10T00:00:00Z.")
    }
    return time
  }

  /// Returns a time in RFC 3339, or in seconds or milliseconds since 1970, as milliseconds.
  private static func time(_ text: String) -> Int64? {
    if let number = Int64(text) {
      guard (0...253_402_300_799_999).contains(number) else { return nil }
      return number >= 100_000_000_000 ? number : number * 1000
    }
    return Timestamp(dateOrTime: text)?.milliseconds
  }

  private static let otherCaseMark: UInt8 = 254
  private static let unknownMark: UInt8 = 255

  /// The record as bytes, for sorting.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: file)
    bytes.append(littleEndian: line)
    bytes.append(hasLegacyNames ? 1 : 0)
    func append(_ mark: UInt8, _ text: String) {
      bytes.append(mark)
      bytes.append(littleEndian: UInt16(text.utf8.count))
      bytes += text.utf8
    }
    for (mark, field) in MetadataField.allCases.enumerated() {
      if let text = texts[field] { append(UInt8(mark), text) }
    }
    for name in otherCaseNames { append(Self.otherCaseMark, name) }
    for name in unknownNames { append(Self.unknownMark, name) }
    return bytes
  }

  /// Reads the bytes that `bytes` returned.
  init(_ bytes: [UInt8]) {
    file = bytes.integer(at: 0)
    line = bytes.integer(at: 4)
    hasLegacyNames = bytes[8] == 1
    let fields = MetadataField.allCases
    var offset = 9
    while offset < bytes.count {
      let mark = bytes[offset]
      let start = offset + 3
      offset = start + Int(bytes.integer(at: offset + 1, as: UInt16.self))
      let text = String(decoding: bytes[start..<offset], as: UTF8.self)
      switch mark {
      case Self.otherCaseMark: otherCaseNames.append(text)
      case Self.unknownMark: unknownNames.append(text)
      default: texts[fields[Int(mark)]] = text
      }
    }
  }
}
