internal import Base
package import JSON
package import Signatures

/// HTML markup in which every text is escaped, so that no text can become markup.
///
/// A literal is markup. An interpolated value is text and is escaped, unless it is an `HTML` itself: `"<td>\(name)</td>"`
/// is safe for any `name`, also within an attribute in double quotes.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The markup as text.
  package private(set) var markup: String

  /// Creates markup from a literal in the source code.
  package init(stringLiteral literal: String) { markup = literal }

  package init(stringInterpolation interpolation: Interpolation) { markup = interpolation.markup }

  private init(markup: String) { self.markup = markup }

  /// Creates markup that shows a text.
  package init(_ text: String) {
    var interpolation = Interpolation(literalCapacity: 0, interpolationCount: 1)
    interpolation.appendInterpolation(text)
    markup = interpolation.markup
  }

  package static func += (left: inout HTML, right: HTML) { left.markup += right.markup }

  /// Creates the content of a `style` or `script` element from a file that is part of the program.
  package init(_ file: PageFile) { markup = file.text }

  /// Returns JSON for a script element of type application/json, in which nothing can end the element.
  package static func script(_ json: JSONValue) -> HTML { HTML(markup: json.scriptText) }

  /// Returns the digest by which a content security policy names an inline script or style.
  package func policyDigest() throws(LibcryptoFailure) -> HTML {
    var hash = try SHA256()
    let digest = try hash.digest(of: Array(markup.utf8).span).bytes
    var bytes: [UInt8] = []
    for index in digest.indices { bytes.append(digest[index]) }
    return HTML(markup: "'sha256-\(String(decoding: Base64.standard.encode(bytes[...]), as: UTF8.self))'")
  }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var markup = ""

    package init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) { markup += literal }

    package mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

    package mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { markup += part.markup } }

    package mutating func appendInterpolation(_ number: Int) { markup += "\(number)" }

    /// Appends text: markup is escaped, and control characters are made visible.
    package mutating func appendInterpolation(_ text: String) {
      for scalar in text.withControlCharactersEscaped.unicodeScalars {
        switch scalar {
        case "<": markup += "&lt;"
        case ">": markup += "&gt;"
        case "&": markup += "&amp;"
        case "\"": markup += "&quot;"
        case "'": markup += "&#39;"
        default: markup.unicodeScalars.append(scalar)
        }
      }
    }
  }
}
