internal import Base

/// The address of a partner: a URL with macros in its path and in its query.
///
/// The scheme, the host and the port have no macros, so no value of a postback decides where a request goes.
struct URLTemplate: Hashable, Sendable {
  /// The scheme, the host and the port: `https://partner.example:8443`.
  let origin: String
  /// The host, without the brackets of an IPv6 address.
  let host: String
  /// The path, divided at its slashes.
  private let path: [Template]
  /// The parameters of the query, each with its name and value; without a value if there is no `=`.
  private let parameters: [Parameter]?

  private struct Parameter: Hashable, Sendable {
    let name: Template
    let value: Template?
  }

  /// Parses a URL with macros.
  init(_ text: String) throws(Template.Problem) {
    func wrong(_ reason: String) -> Template.Problem { Template.Problem(reason: reason) }
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
      throw wrong("The URL must begin with https:// or http://.")
    }
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.contains("{"), !authority.contains("}") else {
      throw wrong("The host and the port must not have macros: a postback must not decide where it is sent.")
    }
    guard !authority.contains("@") else {
      throw wrong("The URL must not hold a user or a password. Give them as a header with env: or file:.")
    }
    host = try Self.host(of: authority)
    origin = scheme + authority
    guard !rest.contains("#") else { throw wrong("The URL must not have a fragment (#).") }
    let literals = try Template(rest[end...]).pieces.compactMap { piece -> String? in
      if case .literal(let text) = piece { text } else { nil }
    }
    guard literals.joined().utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw wrong("The URL must consist of ASCII characters without spaces. Percent-encode others.")
    }
    let parts = Self.parts(of: rest[end...])
    path = try Self.split(parts.path, at: "/").map { text throws(Template.Problem) in try Template(text) }
    parameters = try parts.query.map { query throws(Template.Problem) in
      var parameters: [Parameter] = []
      for text in Self.split(query, at: "&") {
        let words = Self.split(text, at: "=", once: true)
        parameters.append(
          Parameter(name: try Template(words[0]), value: words.count > 1 ? try Template(words[1]) : nil)
        )
      }
      return parameters
    }
  }

  private static func host(of authority: Substring) throws(Template.Problem) -> String {
    var host = authority
    var port: Substring?
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
      let behind = authority[authority.index(after: end)...]
      guard behind.isEmpty || behind.hasPrefix(":") else { throw Template.Problem(reason: "The host is not valid.") }
      port = behind.isEmpty ? nil : behind.dropFirst()
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    let isName = host.utf8.allSatisfy { byte in
      byte.isInNames || byte == UInt8(ascii: ":")
    }
    guard !host.isEmpty, isName else { throw Template.Problem(reason: "The URL has no valid host.") }
    if let port {
      guard let number = UInt16(port), number > 0 else { throw Template.Problem(reason: "The port is not valid.") }
    }
    return String(host)
  }

  /// Splits the rest of a URL at the first question mark that is not within a macro.
  private static func parts(of text: Substring) -> (path: Substring, query: Substring?) {
    let parts = split(text, at: "?", once: true)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// Splits a text at a character, where it is not within a macro.
  private static func split(_ text: Substring, at separator: Character, once: Bool = false) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isInMacro = false
    for index in text.indices {
      if text[index] == "{" { isInMacro = true }
      if text[index] == "}" { isInMacro = false }
      guard text[index] == separator, !isInMacro, !once || parts.isEmpty else { continue }
      parts.append(text[start..<index])
      start = text.index(after: index)
    }
    return parts + [text[start...]]
  }

  /// The macros in the URL.
  var macros: Set<TemplatePlaceholder> {
    (parameters ?? []).reduce(into: Set(path.flatMap(\.macros))) { macros, parameter in
      macros.formUnion(parameter.name.macros)
      macros.formUnion(parameter.value?.macros ?? [])
    }
  }

  /// Indicates that values make a segment of the path `.` or `..`, which servers and proxies read as another path, also if the dots are
  /// percent-encoded. Slashes and backslashes of values divide segments too: a server may decode them first.
  func hasDotSegment(_ values: @autoclosure () -> PlaceholderValues) -> Bool {
    path.contains { segment in
      guard !segment.macros.isEmpty else { return false }
      var text = segment.expanded(values(), encode: \.percentEncoded).lowercased()
      for (code, character) in [("%2e", "."), ("%2f", "/"), ("%5c", "/")] {
        text = text.replacing(code, with: character)
      }
      return text.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
  }

  /// Returns the URL with the values, percent-encoded. A parameter whose value is one macro without a value is left out.
  func expanded(_ values: PlaceholderValues) -> String {
    func encode(_ template: Template) -> String { template.expanded(values, encode: \.percentEncoded) }
    let path = path.map(encode).joined(separator: "/")
    var url = origin + (path.isEmpty ? "/" : path)
    let query = parameters?.compactMap { parameter -> String? in
      guard let value = parameter.value else { return encode(parameter.name) }
      if let macro = value.onlyMacro, macro.value(values) == nil { return nil }
      return "\(encode(parameter.name))=\(encode(value))"
    }
    if let query, !query.isEmpty { url += "?" + query.joined(separator: "&") }
    return url
  }
}
