internal import InputForms
internal import JSON
internal import SKAdNetwork

extension ImportedRow {
  /// The facts about a file that its rows do not tell.
  struct Source {
    /// Indicates that a column has counts, so that a row without one counts nothing.
    var hasCount = false
    /// Indicates CSV with semicolons, where amounts may have points between thousands.
    var hasSemicolons = false

    init() {}

    /// The facts about an input that is read with a mapping.
    init(_ header: CSVHeader?, _ mapping: Mapping?) {
      let isWhole = mapping?.opensNothing ?? true
      hasCount = isWhole && header?.names.contains { Self.isCount($0, mapping) } ?? false
      hasSemicolons = header?.separator == UInt8(ascii: ";")
    }

    /// Tells if the values of a name are counts.
    static func isCount(_ name: String, _ mapping: Mapping?) -> Bool {
      (mapping.map { $0.column(of: name) } ?? Mapping.ExportColumn(named: name)) == .count
    }
  }

  /// Gives members the names of the fields that they stand for, as in CSV, and moves those of an envelope there.
  static func nameFields(of body: inout [JSONValue.Member], _ envelope: inout [JSONValue.Member]) {
    let fields = FieldNames.fields(of: body.map(\.key))
    let members = zip(body, fields).map { JSONValue.Member(key: $1?.name ?? $0.key, value: $0.value) }
    body = zip(members, fields).filter { !($1.map(Envelope.fields.contains) ?? false) }.map(\.0)
    envelope += zip(members, fields).filter { $1.map(Envelope.fields.contains) ?? false }.map(\.0)
  }

  /// Tells if each value of a row is the name of its column, as where files were put together with their headers.
  static func repeatsHeader(_ body: [JSONValue.Member], _ mapping: Mapping?) -> Bool {
    !body.isEmpty
      && body.allSatisfy { member in
        guard let text = member.value.text, !text.isEmpty else { return false }
        let field = mapping.map { $0.field(of: text) } ?? FieldNames.field(text)
        return member.key == field?.name || member.key == text || member.key.hasPrefix("\(text)_2")
      }
  }
}

extension JSONValue {
  /// The text in a formula of a spreadsheet, such as `="0074"`, which keeps zeros and ids as they are; other values themselves.
  var withoutFormula: JSONValue {
    guard case .string(let text) = self, text.hasPrefix("=\""), text.hasSuffix("\""), text.utf8.count > 2 else {
      return self
    }
    return .string(String(text.dropFirst(2).dropLast()))
  }
}
