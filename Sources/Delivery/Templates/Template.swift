internal import Base

/// The values of a delivery, from which a template makes a text.
struct PlaceholderValues: Sendable {
  var values: [TemplatePlaceholder: PlaceholderValue] = [:]
  var booleans = BooleanWords.words
}

/// A text with macros, such as `{country|lower|default:zz}` between other characters.
struct Template: Hashable, Sendable {
  /// A macro in a template.
  struct Expression: Hashable, Sendable {
    let name: MacroName
    let modifiers: [Modifier]

    /// Returns the value; nil if there is none.
    func value(_ values: PlaceholderValues) -> PlaceholderValue? {
      var value = name.constant.map { PlaceholderValue.text($0) } ?? name.macro.flatMap { values.values[$0] }
      let words = name.writesDigits ? .digits : values.booleans
      for modifier in modifiers { value = modifier.applied(to: value, words) }
      guard case .boolean(let isTrue)? = value, words == .digits else { return value }
      return .number(isTrue ? "1" : "0")
    }
  }

  /// A part of a template.
  enum Piece: Hashable, Sendable {
    case literal(String)
    case macro(Expression)
  }

  let pieces: [Piece]

  /// The reason for which a text is no template.
  struct Problem: Error {
    let reason: String
  }

  /// Parses a text.
  init(_ text: some StringProtocol) throws(Problem) {
    var pieces: [Piece] = []
    var rest = Substring(text)
    while let start = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[start] == "{", let end = rest[start...].firstIndex(of: "}") else {
        throw Problem(reason: "A brace has no other one that fits. A macro is written as {name}.")
      }
      if start > rest.startIndex { pieces.append(.literal(String(rest[..<start]))) }
      pieces.append(.macro(try Self.expression(rest[rest.index(after: start)..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.literal(String(rest))) }
    self.pieces = pieces
  }

  init(_ pieces: [Piece]) { self.pieces = pieces }

  private static func expression(_ text: Substring) throws(Problem) -> Expression {
    let words = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard let name = MacroName(words[0]) else {
      let nearest = words[0].nearest(among: MacroName.all).map { " Did you mean {\($0)}?" } ?? ""
      throw Problem(reason: "There is no macro {\(words[0])}.\(nearest)")
    }
    var modifiers: [Modifier] = []
    for word in words.dropFirst() {
      guard let modifier = Modifier(word) else {
        throw Problem(reason: "There is no modifier |\(word). They are lower, default:TEXT, unix_ms and sha256.")
      }
      if modifier == .unixMilliseconds, name.macro != .receivedAt, name.macro != .estimatedInstallDate {
        throw Problem(reason: "The modifier unix_ms is for times only, and {\(words[0])} is none.")
      }
      modifiers.append(modifier)
    }
    return Expression(name: name, modifiers: modifiers)
  }

  /// The macros in the template.
  var macros: Set<TemplatePlaceholder> {
    Set(
      pieces.compactMap { piece in
        if case .macro(let expression) = piece { expression.name.macro } else { nil }
      }
    )
  }

  /// The macro of which alone the template consists; nil if there is something else in it.
  var onlyMacro: Expression? {
    guard pieces.count == 1, case .macro(let expression) = pieces[0] else { return nil }
    return expression
  }

  /// Returns the text with the values, each of them changed by `encode`. A missing value is an empty text.
  func expanded(_ values: PlaceholderValues, encode: (String) -> String = { $0 }) -> String {
    pieces.reduce(into: "") { text, piece in
      switch piece {
      case .literal(let literal): text += literal
      case .macro(let expression):
        if let value = expression.value(values) { text += encode(value.written(values.booleans)) }
      }
    }
  }
}
