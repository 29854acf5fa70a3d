internal import Base

/// The syntax rules of HTTP/1.1 for the head of every request (RFC 9110, section 5; RFC 9112, sections 2 to 6).
///
/// A head that breaks a rule can be read in two ways. A proxy before this server may have read it the other way, and an
/// attacker could then smuggle in another request after it. Such a head is refused, and the connection is closed.
struct HeadSyntax {
  /// The version as it was sent, such as `HTTP/1.1`.
  let version: String
  /// The target as it was sent.
  let target: String
  /// The headers as they were sent, with white space after the values.
  let fields: [HTTPRequest.Field]
  /// Indicates that the head holds nothing but these headers: no folded line, no bare line feed, no NUL byte.
  let isPlain: Bool

  /// The answer to a head that breaks a rule; nil if it keeps them all.
  var refusal: HTTPResponse? {
    if let defect { return .error(400, defect) }
    if let coding = fields.values(of: "Transfer-Encoding").first, !coding.isEqualIgnoringCase(to: "chunked") {
      return .error(501, "The only supported Transfer-Encoding is chunked.")
    }
    return nil
  }

  /// The broken rule as a sentence; nil if there is none.
  private var defect: String? {
    guard isPlain else { return "A line of the head is folded, does not end in CR LF, or holds a NUL byte." }
    guard target.hasOnly({ $0 > 0x20 && $0 != 0x7F }) else {
      return "The target of the request holds a space or a control character."
    }
    for field in fields {
      guard field.name.hasOnly(\.isInToken), !field.name.isEmpty else {
        return "The name of a header is empty or holds a character that is not allowed in it."
      }
      guard field.value.hasOnly({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
        return "The value of the header \(field.name) holds a control character."
      }
    }
    let hosts = fields.values(of: "Host")
    guard hosts.count < 2 else { return "The request has more than one Host header." }
    guard hosts.count == 1 || version == "HTTP/1.0" else { return "The request has no Host header." }
    guard hosts.allSatisfy({ $0.withoutTrailingWhitespace.hasOnly(\.isInHost) }) else {
      return "The Host header holds a character that is not allowed in a host."
    }
    return defectOfLength
  }

  /// The error in `Content-Length` and `Transfer-Encoding`, as a sentence; nil if there is none.
  private var defectOfLength: String? {
    let lengths = fields.values(of: "Content-Length")
    let codings = fields.values(of: "Transfer-Encoding")
    guard lengths.count + codings.count < 2 else {
      return "The request declares the length of its body more than once."
    }
    guard lengths.allSatisfy({ !$0.isEmpty && $0.hasOnly(\.isDecimalDigit) }) else {
      return "The Content-Length is not a number."
    }
    guard codings.isEmpty || version != "HTTP/1.0" else { return "HTTP/1.0 does not allow a Transfer-Encoding." }
    return nil
  }
}

/// The memory that a head takes in the library, which answers nothing if the memory ends in the wrong place.
struct HeadSize {
  private let bytes: Int
  private let parameters: Int

  /// The memory for a header, a cookie, or a parameter of the query, besides its text.
  private static let recordBytes = 64
  /// The memory for the answer.
  private static let answerBytes = 2048

  /// Measures a target with its query, and headers.
  init(_ target: String, _ fields: [HTTPRequest.Field] = []) {
    let query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target.utf8[$0...] }
    parameters = query.map { 1 + $0.count { $0 == UInt8(ascii: "&") } } ?? 0
    let text = fields.reduce(target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    // Cookies are copied, and each has a record.
    let cookies = fields.values(of: "Cookie").reduce(0) { sum, cookie in
      sum + cookie.utf8.count + (1 + cookie.utf8.count { $0 == UInt8(ascii: ";") }) * Self.recordBytes
    }
    bytes = text + cookies + (parameters + fields.count) * Self.recordBytes
  }

  /// Indicates that the head leaves no room for an answer in this memory.
  ///
  /// With more than half of the memory for parameters, libmicrohttpd 0.9.75 cannot refuse the headers after them.
  func exceeds(_ memory: Int) -> Bool {
    bytes > memory - min(Self.answerBytes, memory / 4) || parameters * Self.recordBytes > memory / 2
  }
}

extension String {
  /// The text without the spaces and tabs at its end, which are not part of a header's value (RFC 9110, section 5.5).
  var withoutTrailingWhitespace: String {
    guard let last = utf8.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") else { return self }
    let count = utf8.reversed().prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
    return String(decoding: utf8.dropLast(count), as: UTF8.self)
  }
}

extension UInt8 {
  /// Indicates that the byte is allowed in the name of a header (RFC 9110, section 5.6.2).
  fileprivate var isInToken: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// Indicates that the byte is allowed in a host and its port (RFC 3986, section 3.2).
  fileprivate var isInHost: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "$")...UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ";"),
      UInt8(ascii: "="), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }
}
