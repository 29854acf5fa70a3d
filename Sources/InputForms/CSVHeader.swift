internal import Base
internal import JSON
internal import SKAdNetwork

/// The header of a CSV text: its columns, and the byte between them.
package struct CSVHeader: Hashable, Sendable {
  package static let columnLimit = 4096

  /// The names of the columns, as they are written.
  package let names: [String]
  /// The byte between two fields.
  package let separator: UInt8
  let columns: [CSVColumn]

  /// Reads the first line of a text. Returns nil if it is no header of postbacks, which has the names of `FieldNames` in it;
  /// with `takesAll` any line is one in which no byte is zero, as in UTF-16.
  ///
  /// The separator is a comma, a semicolon or a tab. With `keepsNames` the columns have their own names, for a mapping to read.
  package init?(_ line: [UInt8], takesAll: Bool, keepsNames: Bool) {
    guard !line.contains(0) else { return nil }
    var best: (names: [String], separator: UInt8) = ([], UInt8(ascii: ","))
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      var row = CSVRow()
      guard row.split(line.span, at: separator), row.fields.count <= Self.columnLimit else { continue }
      let names = row.fields.map { String(decoding: row.value($0, of: line.span), as: UTF8.self) }
      if names.count > best.names.count { best = (names, separator) }
    }
    guard !best.names.isEmpty else { return nil }
    let fields = FieldNames.fields(of: best.names)
    let taken = fields.compactMap { $0 }
    let isOfPostback = taken.contains(.jwsString) || taken.count { !Envelope.fields.contains($0) } > 2
    guard takesAll || isOfPostback else { return nil }
    var names: Set<String> = []
    columns = zip(best.names, fields).map { name, field in
      var name = name
      while !names.insert(name).inserted { name += "_2" }
      return CSVColumn(name: name, field: keepsNames ? nil : field)
    }
    (self.names, separator) = best
  }
}

/// A column of a CSV text.
struct CSVColumn: Hashable, Sendable {
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
  /// times in any known form as RFC 3339 has them.
  static func append(_ key: [UInt8], _ field: Field?, _ value: Span<UInt8>, to json: inout [UInt8]) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += key
    switch field?.type {
    case .integer where value.isPlainInteger: json.append(copying: value)
    case .boolean where value.isText("true") || value.isText("false"): json.append(copying: value)
    default:
      guard field == .receivedAt, let time = Timestamp(exported: String(copying: value)) else {
        return json.appendJSONString(value)
      }
      json.appendJSONString(time.description)
    }
  }
}

extension Span<UInt8> {
  /// Indicates that exports write the text for null.
  var isNull: Bool { count < 5 && (isText("null") || isText("NULL") || isText("\\N")) }

  /// Indicates that the text is an integer as Apple writes it.
  fileprivate var isPlainInteger: Bool {
    guard (1..<20).contains(count), count == 1 || self[0] != UInt8(ascii: "0") else { return false }
    return indices.allSatisfy { self[$0] &- UInt8(ascii: "0") <= 9 }
  }
}
