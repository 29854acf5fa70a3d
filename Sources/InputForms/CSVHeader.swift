internal import Base
internal import JSON
internal import SKAdNetwork

/// The header of a CSV text: its columns, and the byte between them.
package struct CSVHeader: Sendable {
  /// The greatest number of columns.
  package static let columnLimit = 4096

  let columns: [CSVColumn]
  let separator: UInt8

  /// Reads the first line of a text. Returns nil if it is no header of postbacks, which has the names of `FieldNames` in it;
  /// with `takesAll` any line is one.
  ///
  /// The separator is a comma, a semicolon or a tab. With `keepsNames` the columns have their own names, for a mapping to read.
  package init?(_ line: [UInt8], takesAll: Bool, keepsNames: Bool) {
    var best: (names: [String], separator: UInt8) = ([], UInt8(ascii: ","))
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      var row = CSVRow()
      guard row.split(line.span, at: separator), row.fields.count <= Self.columnLimit else { continue }
      let names = row.fields.map { String(decoding: row.value($0, of: line.span), as: UTF8.self) }
      if names.count > best.names.count { best = (names, separator) }
    }
    guard !best.names.isEmpty else { return nil }
    // Apple's names come before synonyms; a field has one column.
    var fields = [Field?](repeating: nil, count: best.names.count)
    var taken: Set<Field> = []
    for find in [FieldNames.exact, FieldNames.field] {
      for (index, name) in best.names.enumerated() where fields[index] == nil {
        guard let field = find(name), taken.insert(field).inserted else { continue }
        fields[index] = field
      }
    }
    let isOfPostback = taken.contains(.jwsString) || taken.count { !Envelope.fields.contains($0) } > 2
    guard takesAll || isOfPostback else { return nil }
    var names: Set<String> = []
    columns = zip(best.names, fields).map { name, field in
      var name = name
      while !names.insert(name).inserted { name += "_2" }
      return CSVColumn(name: name, field: keepsNames ? nil : field)
    }
    separator = best.separator
  }
}

/// A column of a CSV text.
struct CSVColumn: Sendable {
  /// The field of the postback, or the key of the envelope; nil for other columns, which become extras.
  private let field: Field?
  /// The name of the member in JSON, with the colon behind it.
  private let key: [UInt8]

  init(name: String, field: Field?) {
    self.field = field
    key = MemberText.key(field?.name ?? name)
  }

  /// Indicates that the value belongs to the envelope.
  var isOfEnvelope: Bool { field.map(Envelope.fields.contains) ?? false }

  /// Appends a member, unless the value is empty or stands for null.
  func append(_ value: Span<UInt8>, to json: inout [UInt8]) {
    guard value.count > 0, field == nil || !value.isNull else { return }
    MemberText.append(key, field, value, to: &json)
  }
}

/// Members of JSON objects for values that are texts.
enum MemberText {
  /// Returns a key as JSON, with the colon behind it.
  static func key(_ name: String) -> [UInt8] {
    var key: [UInt8] = []
    key.appendJSONString(name)
    return key + [UInt8(ascii: ":")]
  }

  /// Appends a member, behind a comma unless it is the first. Numbers and Booleans are written as such where Apple does, and
  /// times as RFC 3339 has them.
  static func append(_ key: [UInt8], _ field: Field?, _ value: Span<UInt8>, to json: inout [UInt8]) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += key
    switch field?.type {
    case .integer where value.isPlainInteger: json.append(copying: value)
    case .boolean where value.isText("true") || value.isText("false"): json.append(copying: value)
    default:
      if field == .receivedAt { json.appendJSONString(time(value)) } else { json.appendJSONString(value) }
    }
  }

  /// Returns a time as RFC 3339 has it if it has another known form: a date, Unix time in seconds or milliseconds, or a time
  /// in UTC with a space in the place of the `T`.
  static func time(_ value: Span<UInt8>) -> String {
    let text = String(copying: value)
    if let time = Timestamp(dateOrTime: text) { return time.description }
    if text.utf8.count <= 15, let number = Int64(text), number > 0 {
      // 10^11 seconds are past the year 5000; as milliseconds they are in 1973.
      return Timestamp(milliseconds: number < 100_000_000_000 ? number * 1000 : number).description
    }
    if let time = logTime(text) { return time }
    var parts = text.split(separator: " ")
    if parts.count == 3, ["UTC", "+0000", "+00:00"].contains(parts[2]) { parts.removeLast() }
    guard parts.count == 2 else { return (Timestamp("\(text)Z") ?? Timestamp(text)).map(\.description) ?? text }
    for zone in ["Z", ""] {
      if let time = Timestamp("\(parts[0])T\(parts[1])\(zone)") { return time.description }
    }
    return text
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns a time of the common log format, such as `10/Mar/2026:10:00:00 +0000`, as RFC 3339 has it.
  private static func logTime(_ text: String) -> String? {
    let parts = text.split(separator: "/", maxSplits: 2)
    guard parts.count == 3, let month = months.firstIndex(of: String(parts[1])), parts[2].utf8.count == 19 else {
      return nil
    }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let (year, time, zone) = (parts[2].prefix(4), parts[2].dropFirst(5).prefix(8), parts[2].suffix(5))
    return Timestamp("\(year)-\(number)-\(parts[0])T\(time)\(zone.prefix(3)):\(zone.suffix(2))")?.description
  }
}

extension Span<UInt8> {
  /// Indicates that exports write the text for null.
  var isNull: Bool { count < 5 && (isText("null") || isText("NULL") || isText("\\N")) }

  /// Tells if these are the bytes of a text.
  func isText(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    return unsafe withUnsafeBytes { bytes in
      unsafe bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
  }

  /// Indicates that the text is an integer as Apple writes it.
  fileprivate var isPlainInteger: Bool {
    guard (1..<20).contains(count), count == 1 || self[0] != UInt8(ascii: "0") else { return false }
    return indices.allSatisfy { self[$0] &- UInt8(ascii: "0") <= 9 }
  }
}
