internal import Base
internal import JSON
package import SKAdNetwork

/// A description of the way from a record of another form to the postback in it.
///
/// It has a list of steps and no rule that leads back, so the work for a record is bounded by its length.
package struct Mapping: Hashable, Sendable {
  /// The form of the records.
  enum Form: String, CaseIterable, Sendable {
    /// JSON.
    case json
    /// Rows of CSV behind a header, or JSON objects with the same names.
    case csv
    /// Lines of words with spaces between them, as in the logs of servers.
    case words
    /// Lines of fields with tabs between them.
    case tabs
  }

  /// A part of a value: a text, or the value at a place of the record.
  enum Piece: Hashable, Sendable {
    case text(String)
    case path(JSONPath)
  }

  /// A name in the innermost object, and the field that it stands for; nil if it stands for none.
  struct Name: Hashable, Sendable {
    let name: String
    let field: Field?
  }

  /// A column that only exports without signatures have.
  package enum ExportColumn: String, CaseIterable, Sendable {
    case networkName = "network_name"
    case campaignName = "campaign_name"
    case count, revenue, currency

    /// The column with a name in any letter case; nil if there is none.
    package init?(named name: String) { self.init(rawValue: name.lowercased()) }
  }

  /// A field with the parts of its value.
  struct Value: Hashable, Sendable {
    let field: Field
    let pieces: [Piece]
  }

  /// The name, with which `--mapping` chooses a built-in one.
  package let name: String
  /// A description for people.
  package let title: String
  /// The source of the form, with its date; nil if there is none.
  package let documentation: String?
  let form: Form
  /// The place of an array of which each element is a record; nil if a record is one.
  let each: JSONPath?
  let steps: [MappingStep]
  /// The names with other fields than `FieldNames` gives them; nil if the innermost object is a postback as it is.
  let names: [Name]?
  /// Values of the record around the postback.
  let context: [Value]
  /// Values that hold where the record gives no other ones.
  let constants: [Value]
  /// The columns of exports by the names in the innermost object that have them.
  let exported: [String: ExportColumn]
  /// The mapping as a file.
  package let text: String
  /// A number that stands for the mapping.
  let number: UInt64

  /// Indicates that each line is a record.
  package var isOfLines: Bool { form == .words || form == .tabs }

  /// The greatest number of bytes of a file.
  package static let byteLimit = 1 << 16
  private static let stepLimit = 16
  private static let nameLimit = 1024
  private static let pieceLimit = 8

  /// Parses a mapping file.
  package init(parsing text: [UInt8]) throws(MappingDefect) {
    guard text.count <= Self.byteLimit else {
      throw MappingDefect(pointer: "", "The mapping has more than \(Self.byteLimit) bytes.")
    }
    let root: JSONNode
    do throws(JSONDefect) { root = JSONNode(value: try JSONValue(parsing: text), pointer: "") } catch {
      throw MappingDefect(pointer: "", "The mapping is not JSON: \(error).")
    }
    let keys = [
      "$schema", "name", "title", "documentation", "form", "each", "open", "fields", "context", "constants", "exported",
    ]
    for member in root.members ?? [] where !keys.contains(member.key) {
      let advice = member.key.nearest(among: keys).map { " Did you mean \($0)?" } ?? ""
      throw member.node.defect("The key is not known.\(advice)")
    }
    name = try root["name"].required("a name")
    title = try root["title"].text("a text") ?? name
    documentation = try root["documentation"].text("a text")
    form = try root["form"].word(Form.self)
    each = try Self.each(root["each"], form)
    steps = try Self.steps(root["open"])
    context = try Self.values(root["context"], ofEnvelope: true)
    constants = try Self.values(root["constants"], ofEnvelope: false)
    let staysWhole = root["fields"].value == nil && constants.allSatisfy { Envelope.fields.contains($0.field) }
    names = staysWhole ? nil : try Self.names(root["fields"])
    exported = try Self.exported(root["exported"])
    self.text = String(decoding: text, as: UTF8.self)
    number = SipHash(key: 0, 0).hash(of: text.span)
  }

  private static func each(_ node: JSONNode, _ form: Form) throws(MappingDefect) -> JSONPath? {
    guard let text = try node.text("a path") else { return nil }
    guard form == .json else {
      throw node.defect("Only records of the form json can hold several postbacks.")
    }
    guard let path = JSONPath(text) else {
      throw node.defect("The value must be a path such as $.Records.")
    }
    return path
  }

  private static func steps(_ node: JSONNode) throws(MappingDefect) -> [MappingStep] {
    guard node.value != nil else { return [] }
    guard let elements = node.elements, elements.count <= stepLimit else {
      throw node.defect("The value must be an array of at most \(stepLimit) steps.")
    }
    var steps: [MappingStep] = []
    for element in elements {
      guard let step = element.value?.text.flatMap({ MappingStep($0) }) else {
        let words = MappingStep.words.map(\.name).joined(separator: ", ")
        throw element.defect("The step must be \(words) or a path such as $.data.payload.")
      }
      steps.append(step)
    }
    return steps
  }

  /// Returns the members of an object of names; none if it is absent.
  private static func members(_ node: JSONNode) throws(MappingDefect) -> [(key: String, node: JSONNode)] {
    guard node.value != nil else { return [] }
    if let members = node.members, members.count <= nameLimit { return members }
    throw node.defect("The value must be an object of at most \(nameLimit) members.")
  }

  private static func names(_ node: JSONNode) throws(MappingDefect) -> [Name] {
    var names: [Name] = []
    for member in try members(node) {
      if case .null = member.node.value {
        names.append(Name(name: member.key, field: nil))
      } else {
        let field = try member.node.required("the name of a field or null")
        names.append(Name(name: member.key, field: try Self.field(field, at: member.node)))
      }
    }
    return names
  }

  private static func values(_ node: JSONNode, ofEnvelope: Bool) throws(MappingDefect) -> [Value] {
    guard node.value != nil else { return [] }
    guard let members = node.members else { throw node.defect("The value must be an object.") }
    var values: [Value] = []
    for member in members {
      let field = try Self.field(member.key, at: member.node)
      guard !ofEnvelope || Envelope.fields.contains(field) else {
        throw member.node.defect("The key must be received_at, channel, forwarder, remote_address or query.")
      }
      let texts = member.node.elements ?? [member.node]
      guard (1...pieceLimit).contains(texts.count) else {
        throw member.node.defect("The value must have 1 to \(pieceLimit) parts.")
      }
      var pieces: [Piece] = []
      for node in texts {
        let text = try node.required("a text")
        guard ofEnvelope, text.hasPrefix("$") else {
          pieces.append(.text(text))
          continue
        }
        guard let path = JSONPath(text) else {
          throw node.defect("The value must be a path such as $.data.received_at.")
        }
        pieces.append(.path(path))
      }
      try check(pieces, of: field, at: member.node)
      values.append(Value(field: field, pieces: pieces))
    }
    return values
  }

  /// Throws if a value without a path is one that no envelope can have, so that it would make a reject of each record.
  private static func check(_ pieces: [Piece], of field: Field, at node: JSONNode) throws(MappingDefect) {
    let texts = pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
    guard texts.count == pieces.count else { return }
    let text = texts.joined()
    if field == .channel, Channel(rawValue: text) == nil {
      let channels = Channel.allCases.map(\.rawValue).joined(separator: " or ")
      throw node.defect("The value is \(text.quotedExcerpt). It must be \(channels).")
    }
    if field == .receivedAt, Timestamp(exported: text) == nil {
      throw node.defect("The value is \(text.quotedExcerpt). It must be a time, such as 2026-03-01T10:00:00Z.")
    }
  }

  private static func exported(_ node: JSONNode) throws(MappingDefect) -> [String: ExportColumn] {
    var columns: [String: ExportColumn] = [:]
    for member in try members(node) { columns[member.key] = try member.node.word(ExportColumn.self) }
    return columns
  }

  /// Indicates that `exported` gives a name in the innermost object a column of exports without signatures.
  package func isExported(_ name: String) -> Bool { exported[name] != nil }

  /// Returns the column of exports without signatures that a name in the innermost object stands for: that of `exported`, or else
  /// the column of this name, unless `fields` says that the name is none. Nil if there is none.
  package func column(of name: String) -> ExportColumn? {
    if let column = exported[name] { return column }
    return names?.contains { $0.name == name && $0.field == nil } == true ? nil : ExportColumn(named: name)
  }

  /// Indicates that the mapping gives names in the innermost object their fields, so that these are known already.
  package var givesFields: Bool { names != nil }

  /// Indicates that the record itself is the innermost object.
  package var opensNothing: Bool { steps.isEmpty }

  /// Returns the field that a name in the innermost object stands for; nil if there is none.
  package func field(of name: String) -> Field? {
    names?.first { $0.name == name }.map(\.field) ?? FieldNames.field(name)
  }

  /// Returns the built-in mapping of exports that reads most of some names, with these names in their order; nil if none reads
  /// any one.
  package static func reading(_ names: [String]) -> (mapping: Mapping, names: [String])? {
    var best: (mapping: Mapping, names: [String])?
    for mapping in builtIn where mapping.form == .csv {
      let read = names.filter(mapping.reads)
      if read.count > best?.names.count ?? 0 { best = (mapping, read) }
    }
    return best
  }

  /// Tells if a name has a meaning in the mapping that it does not have without one.
  private func reads(_ name: String) -> Bool {
    if case .path(let path)? = steps.first, path.components.first == .member(Array(name.utf8)) { return true }
    if let column = exported[name] { return column != ExportColumn(named: name) }
    let field = names?.first { $0.name == name }?.field
    return field != nil && field != FieldNames.field(name)
  }

  private static func field(_ name: String, at node: JSONNode) throws(MappingDefect) -> Field {
    guard let field = FieldNames.exact(name) else {
      throw node.defect(
        "\(name.quotedExcerpt) is no field of a postback, such as transaction-id, and no key of an envelope, such as received_at."
      )
    }
    return field
  }
}

/// The defect of a mapping, with its place as a JSON pointer.
package struct MappingDefect: Error, Hashable, CustomStringConvertible {
  /// The place in the mapping.
  package let pointer: String
  /// The defect as a sentence.
  package let message: String

  fileprivate init(pointer: String, _ message: String) { (self.pointer, self.message) = (pointer, message) }

  package var description: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}

extension JSONNode {
  fileprivate func defect(_ message: String) -> MappingDefect { MappingDefect(pointer: pointer, message) }

  /// The text of a string that is not empty; nil if it is absent.
  fileprivate func text(_ expectation: String) throws(MappingDefect) -> String? {
    guard let value else { return nil }
    guard let text = value.text, !text.isEmpty else { throw defect("The value must be \(expectation).") }
    return text
  }

  fileprivate func required(_ expectation: String) throws(MappingDefect) -> String {
    guard let text = try text(expectation) else {
      throw defect("The value is missing. It must be \(expectation).")
    }
    return text
  }

  fileprivate func word<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) throws(MappingDefect) -> Word {
    let words = "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))"
    guard let word = Word(rawValue: try required(words)) else { throw defect("The value must be \(words).") }
    return word
  }
}
