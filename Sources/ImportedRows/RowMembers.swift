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
    /// Indicates that members do not have the names of their fields yet, as those of CSV without a mapping do.
    var needsNames = true

    /// The facts about an input that is read with a mapping.
    init(_ header: CSVHeader?, _ mapping: Mapping?) {
      let isWhole = mapping?.opensNothing ?? true
      hasCount = isWhole && header?.names.contains { Self.isCount($0, mapping) } ?? false
      hasSemicolons = header?.separator == UInt8(ascii: ";")
      needsNames = mapping.map { !$0.givesFields } ?? (header == nil)
    }

    /// Tells if the values of a name are counts.
    static func isCount(_ name: String, _ mapping: Mapping?) -> Bool {
      ImportedRow.exportColumn(of: name, mapping) == .count
    }
  }

  /// Returns the column of exports that a name stands for; nil if there is none.
  static func exportColumn(of name: String, _ mapping: Mapping?) -> Mapping.ExportColumn? {
    mapping.map { $0.column(of: name) } ?? Mapping.ExportColumn(named: name)
  }

  /// Gives members the names of the fields that they stand for, as in CSV, and moves the time of receipt and the forwarder to the
  /// envelope. Members to which `exported` of the mapping gives a column stay as they are, as do others of an envelope.
  static func nameFields(
    of body: inout [JSONValue.Member],
    _ envelope: inout [JSONValue.Member],
    _ mapping: Mapping?
  ) {
    let isExported = { (member: JSONValue.Member) in mapping?.isExported(member.key) ?? false }
    let others = body.filter { !isExported($0) }
    var named = body.filter(isExported)
    for (member, field) in zip(others, FieldNames.fields(of: others.map(\.key))) {
      if let field, [.receivedAt, .forwarder].contains(field) {
        envelope.append(.init(field.name, member.value))
      } else if let field, !Envelope.fields.contains(field) {
        named.append(.init(field.name, member.value))
      } else {
        named.append(member)
      }
    }
    body = named
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
