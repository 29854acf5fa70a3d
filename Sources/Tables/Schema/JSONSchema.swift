package import JSON

extension Table {
  /// The JSON Schema of a row as JSON Lines have it (draft 2020-12).
  package var jsonSchema: JSONValue {
    .object(
      [
        .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
        .init("$id", .string("\(name).schema.json")),
        .init("title", .string("Row of \(name)")),
        .init("description", .string(description)),
        .init("type", .string("object")),
        .init("additionalProperties", .bool(false)),
        .init("required", .texts(columnNames)),
        .init("properties", .object(columns.map { .init($0.name.rawValue, $0.jsonSchema) })),
      ] + (rules.isEmpty ? [] : [.init("allOf", .array(rules.map(jsonSchema)))])
    )
  }

  private func jsonSchema(_ rule: RowRule) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("if", jsonSchema(rule.conditions)), .init("then", jsonSchema(rule.consequences)),
    ]
    if !rule.alternatives.isEmpty { members.append(.init("else", jsonSchema(rule.alternatives))) }
    return .object(members)
  }

  private func jsonSchema(_ conditions: RowRule.Conditions) -> JSONValue {
    let properties = conditions.map { name, condition in
      let type = columns.first { $0.name == name }?.type
      return JSONValue.Member(name.rawValue, condition.jsonSchema(of: type))
    }
    return .object([.init("properties", .object(properties))])
  }
}

extension Column {
  /// The JSON Schema of the column's value.
  fileprivate var jsonSchema: JSONValue {
    var members: [JSONValue.Member] = [.init("description", .string(description))]
    let type = JSONValue.string(type.jsonType)
    members.append(.init("type", isNullable ? .array([type, .string("null")]) : type))
    if case .word(let words) = self.type {
      members.append(.init("enum", .array(words.map { .string($0) } + (isNullable ? [.null] : []))))
    }
    return .object(members + self.type.jsonConstraints)
  }
}

extension ColumnType {
  /// The type in JSON Schema.
  fileprivate var jsonType: String {
    switch self {
    case .text, .word, .time, .date: "string"
    case .integer: "integer"
    case .decimal, .signedDecimal: "number"
    case .boolean: "boolean"
    case .words, .objects: "array"
    case .object: "object"
    }
  }

  /// The keywords of JSON Schema for the possible values, apart from those of a single word.
  fileprivate var jsonConstraints: [JSONValue.Member] {
    switch self {
    case .text(let form):
      [
        form.minimumLength > 0 ? .init("minLength", .integer(form.minimumLength)) : nil,
        form.maximumLength.map { .init("maxLength", .integer($0)) },
        form.pattern.map { .init("pattern", .string($0)) },
      ].compactMap(\.self)
    case .integer(let range):
      [.init("minimum", .integer(range.lowerBound)), .init("maximum", .integer(range.upperBound))]
    case .decimal: [.init("minimum", .integer(0))]
    case .time: [.init("format", .string("date-time")), .init("pattern", .string(Self.timePattern))]
    case .date: [.init("format", .string("date")), .init("pattern", .string("^\(Self.datePattern)$"))]
    case .words(let words):
      [
        .init("minItems", .integer(1)), .init("uniqueItems", .bool(true)),
        .init("items", .object([.init("enum", .texts(words))])),
      ]
    case .object: [.init("minProperties", .integer(1))]
    case .objects(let columns):
      [
        .init("minItems", .integer(1)),
        .init(
          "items",
          .object([
            .init("type", .string("object")),
            .init("additionalProperties", .bool(false)),
            .init("required", .array(columns.map { .string($0.name.rawValue) })),
            .init("properties", .object(columns.map { .init($0.name.rawValue, $0.jsonSchema) })),
          ])
        ),
      ]
    case .word, .boolean, .signedDecimal: []
    }
  }

  private static let datePattern = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
  private static let timePattern =
    #"^\#(datePattern)T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{3})?Z$"#
}

extension RowRule.Condition {
  /// The JSON Schema of a value that meets the condition, in a column of a type.
  fileprivate func jsonSchema(of type: ColumnType?) -> JSONValue {
    func object(_ key: String, _ value: JSONValue) -> JSONValue { .object([.init(key, value)]) }
    func typed(_ name: String, _ key: String, _ value: JSONValue) -> JSONValue {
      .object([.init("type", .string(name)), .init(key, value)])
    }
    return switch self {
    case .null: object("const", .null)
    case .present: object("type", .string(type?.jsonType ?? "string"))
    case .word(let word): object("const", .string(word))
    case .words(let words): object("enum", .texts(words))
    case .not(let word): object("not", object("const", .string(word)))
    case .integer(let integer): object("const", .integer(integer))
    case .boolean(let value): object("const", .bool(value))
    case .matching(let pattern): typed("string", "pattern", .string(pattern))
    case .notEmpty: object("minLength", .integer(1))
    case .containing(let word): typed("array", "contains", object("const", .string(word)))
    }
  }
}
