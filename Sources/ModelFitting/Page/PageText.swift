internal import Base
internal import CReportPage
internal import Signatures

/// Markup in which every interpolated text is escaped, unless it is markup itself.
struct Markup: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral literal: String) { text = literal }

  init(stringInterpolation interpolation: Interpolation) { text = interpolation.text }

  /// The style of all pages of the program.
  static var style: Markup {
    let file = unsafe creportpage_style()
    let text = unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    return Markup(stringLiteral: text)
  }

  /// The digest by which a content security policy names an element with this content.
  func policyDigest() throws(LibcryptoFailure) -> Markup {
    var hash = try SHA256()
    let digest = try hash.digest(of: Array(text.utf8).span).bytes
    var bytes: [UInt8] = []
    for index in digest.indices { bytes.append(digest[index]) }
    return Markup(stringLiteral: "'sha256-\(String(decoding: Base64.standard.encode(bytes[...]), as: UTF8.self))'")
  }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }

    mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

    /// Appends a length of a drawing.
    mutating func appendInterpolation(_ length: Double) { text += RoundedText.fixed(length, places: 1) }

    mutating func appendInterpolation(_ plain: String) {
      for scalar in plain.withControlCharactersEscaped.unicodeScalars {
        switch scalar {
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "&": text += "&amp;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
  }
}

/// A table of a page: headings, and rows of which the first cell is a title.
struct PageTable {
  private let caption: String
  private let headings: [String]
  private var rows: [Markup] = []
  /// The columns of text; the others have numbers.
  private let texts: Set<Int>

  init(_ caption: String, _ headings: [String], texts: Set<Int> = [0]) {
    (self.caption, self.headings, self.texts) = (caption, headings, texts)
  }

  mutating func add(_ cells: [String]) {
    let markup = cells.enumerated().map { column, cell -> Markup in
      if column == 0 { return "<th scope=\"row\">\(cell)</th>" }
      return texts.contains(column) ? "<td>\(cell)</td>" : "<td class=\"number\">\(cell)</td>"
    }
    rows.append("<tr>\(markup)</tr>\n")
  }

  var html: Markup {
    let names = headings.enumerated().map { column, heading -> Markup in
      texts.contains(column)
        ? "<th scope=\"col\">\(heading)</th>" : "<th scope=\"col\" class=\"number\">\(heading)</th>"
    }
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="Table: \(caption)"><table><caption>\(caption)</caption>\
      <thead><tr>\(names)</tr></thead>
      <tbody>\(rows)</tbody></table></div>
      """
  }
}
