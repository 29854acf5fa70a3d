internal import JSON
internal import SKAdNetwork

/// Turns records into envelopes with the postbacks in them, by a mapping, one after the other.
///
/// Decides nothing about a postback: what is found is parsed and verified as if it had come alone.
package struct Unwrapper: ~Copyable {
  private enum Opened {
    case text([UInt8])
    /// The words or the fields of a line.
    case list([[UInt8]])
  }

  package let mapping: Mapping
  private let names: [Mapping.Name]
  private let keys: [[UInt8]]
  /// True if all values come as texts, so that numbers in them are no other spelling.
  private let hasOnlyTexts: Bool
  private var parser: JSONParser
  private var named: JSONParser
  private var document = JSONDocument()
  private var members: [UInt8] = []
  private var envelope: [UInt8] = []
  private var taken: Set<Field> = []

  /// An unwrapper of records of a mapping's form.
  package init(_ mapping: Mapping) {
    self.mapping = mapping
    let own = mapping.names ?? []
    let known = Set(own.map(\.name))
    names =
      own
      + FieldNames.all.filter { !known.contains($0) }.sorted {
        FieldNames.exact($0) != nil && FieldNames.exact($1) == nil
      }
      .map { Mapping.Name(name: $0, field: FieldNames.field($0)) }
    keys = names.map { MemberText.key($0.field?.name ?? $0.name) }
    hasOnlyTexts = mapping.form != .json || mapping.steps.contains(.query)
    parser = JSONParser()
    named = JSONParser(names: names.map(\.name))
  }

  /// Returns an envelope with the postback in a record, as JSON; nil if there is none.
  package mutating func envelope(of record: [UInt8]) -> [UInt8]? {
    let root: Opened =
      switch mapping.form {
      case .json, .csv: .text(record)
      case .words: .list(record.words)
      case .tabs: .list(record.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(Array.init))
      }
    var current = root
    if mapping.isOfLines, !Self.isPath(mapping.steps.first) { current = .text(record) }
    // Only what is around a postback may say when and from whom it came, and of that the record before the query.
    var sources = [root]
    for step in mapping.steps {
      guard let next = open(current, step) else { return nil }
      current = .text(next)
      if step == .query { sources.append(current) }
    }
    guard case .text(let text) = current, text.first(where: { !$0.isWhitespace }) == UInt8(ascii: "{") else {
      return nil
    }
    members.removeAll(keepingCapacity: true)
    envelope.removeAll(keepingCapacity: true)
    taken.removeAll(keepingCapacity: true)
    for value in mapping.context {
      var text: [UInt8] = []
      for piece in value.pieces { text += self.text(of: piece, in: sources) }
      // A log writes - for what is absent.
      if !text.isEmpty, text != [UInt8(ascii: "-")] { append(value.field, MemberText.key(value.field.name), text.span) }
    }
    guard let body = mapping.names == nil ? text : body(of: text) else { return nil }
    return whole(body)
  }

  /// Returns the text of a part of a value, from the first of the sources that has it; empty if none has.
  private mutating func text(of piece: Mapping.Piece, in sources: [Opened]) -> [UInt8] {
    switch piece {
    case .text(let text): return Array(text.utf8)
    case .path(let path):
      for source in sources { if let found = open(source, .path(path)) { return found } }
      return []
    }
  }

  private static func isPath(_ step: MappingStep?) -> Bool { if case .path = step { true } else { false } }

  /// Returns the envelope around a body, with the constants that hold for it.
  private mutating func whole(_ body: [UInt8]) -> [UInt8] {
    for constant in mapping.constants where !taken.contains(constant.field) {
      let text = constant.pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
      append(constant.field, MemberText.key(constant.field.name), Array(text.utf8).span)
    }
    var json: [UInt8] = [UInt8(ascii: "{")]
    json += envelope
    json += (envelope.isEmpty ? "\"body\":" : ",\"body\":").utf8
    if mapping.names == nil {
      json += body
    } else {
      json.append(UInt8(ascii: "{"))
      json += members
      json.append(UInt8(ascii: "}"))
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  private mutating func open(_ opened: Opened, _ step: MappingStep) -> [UInt8]? {
    switch (opened, step) {
    case (.text(let text), .path(let path)): value(at: path.components[...], of: text)
    case (.list(let list), .path(let path)):
      if case .element(let index)? = path.components.first, index < list.count {
        value(at: path.components.dropFirst(), of: list[index])
      } else {
        nil
      }
    case (.text(let text), _): step.open(text)
    case (.list, _): nil
    }
  }

  /// Returns the text of the value at a place; nil if there is none, or null.
  private mutating func value(at path: ArraySlice<JSONPath.Component>, of text: [UInt8]) -> [UInt8]? {
    var text = text
    for component in path {
      let range = 0..<text.count
      text.append(contentsOf: repeatElement(0, count: JSONParser.padding))
      do throws(JSONDefect) { try parser.parse(range, of: &text, into: &document) } catch { return nil }
      guard let found = document.value(component, of: text), found.kind != .null else { return nil }
      text = Array(text[found.text.indices])
    }
    return text
  }

  /// Reads the innermost object into the members of the body and of the envelope. Returns nil if it is not JSON.
  private mutating func body(of text: [UInt8]) -> [UInt8]? {
    var bytes = text
    bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    do throws(JSONDefect) {
      try named.parse(0..<text.count, of: &bytes, into: &document, replacingLoneSurrogates: true)
    } catch { return nil }
    guard document.root.kind == .object else { return nil }
    for index in names.indices where document.fields[index].kind != .absent {
      let (name, value) = (names[index], document.fields[index])
      if name.field == .sourceDomain, FieldNames.field(name.name) == nil,
        bytes.span.extracting(value.text.indices).isOtherThanDomain
      {
        append(nil, MemberText.key(name.name), value, bytes)
      } else if let field = name.field, !taken.contains(field) {
        append(field, keys[index], value, bytes)
      } else if name.field == nil, FieldNames.exact(name.name)?.name != name.name {
        append(nil, keys[index], value, bytes)
      }
    }
    for member in document.members {
      append(nil, MemberText.key(String(decoding: bytes[member.key.text.indices], as: UTF8.self)), member.value, bytes)
    }
    return []
  }

  private mutating func append(_ field: Field?, _ key: [UInt8], _ value: JSONField, _ bytes: [UInt8]) {
    let text = bytes.span.extracting(value.text.indices)
    let isOfEnvelope = field.map(Envelope.fields.contains) ?? false
    guard value.kind != .null else { return }
    if hasOnlyTexts || isOfEnvelope, value.kind == .string || value.kind == .number {
      if text.count == 0 || field != nil && text.isNull { return }
      return append(field, key, text)
    }
    if let field { taken.insert(field) }
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    members += key
    if value.kind == .string { members.appendJSONString(text) } else { members.append(copying: text) }
  }

  private mutating func append(_ field: Field?, _ key: [UInt8], _ text: Span<UInt8>) {
    if let field {
      guard taken.insert(field).inserted else { return }
      if Envelope.fields.contains(field) { return MemberText.append(key, field, text, to: &envelope) }
    }
    MemberText.append(key, field, text, to: &members)
  }
}

extension Span<UInt8> {
  /// Indicates that a value under a vendor's name for the source domain is another text, such as the name of an ad set, which Apple
  /// cannot have signed: it has no dot, or characters that no domain has, or no letter behind its last dot.
  fileprivate var isOtherThanDomain: Bool {
    guard count > 0, !isNull else { return false }
    var (hasDot, hasLetter) = (false, false)
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "."): (hasDot, hasLetter) = (true, false)
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: hasLetter = true
      default: return true
      }
    }
    return !hasDot || !hasLetter
  }
}
