internal import PostbackServer

/// The paths of the live page.
enum ViewPath {
  /// The beginning of the paths of data.
  static let data = "/api/"
  /// The path of the sections of the report.
  static let report = "/api/report"
  /// The paths that all show the page, whose script reads them.
  static let pages = ["/", "/campaigns", "/rejects", "/signals", "/postback", "/report"]
}

extension [HTTPRequest.Field] {
  /// The headers of every answer, which keep browsers from storing it, and its content from running anything.
  static var ofView: [HTTPRequest.Field] {
    let policy = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'
      """
    return [
      .init("Content-Security-Policy", policy), .init("X-Content-Type-Options", "nosniff"),
      .init("Referrer-Policy", "no-referrer"), .init("Cache-Control", "no-store"),
      .init("Cross-Origin-Resource-Policy", "same-origin"), .init("Cross-Origin-Opener-Policy", "same-origin"),
    ]
  }
}

extension HTTPResponse {
  /// An answer with text of a type.
  static func text(_ type: String, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(200, headers: [.init("Content-Type", "\(type); charset=utf-8")], body: body)
  }

  /// A page that stores the cookie of a session, and opens a place of this server.
  static func entrance(cookie: String, to place: String) -> HTTPResponse {
    var address = ""
    // The place is text that the browser sent.
    for byte in place.utf8 {
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): address += "%" + byte.digits
      case UInt8(ascii: "&"): address += "&amp;"
      case 0x21...0x7E: address.unicodeScalars.append(Unicode.Scalar(byte))
      default: address += "%" + byte.digits
      }
    }
    let text = """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>postback</title>
      <meta http-equiv="refresh" content="0;url=\(address)"></head>
      <body><p><a href="\(address)">Open the page</a></p></body></html>

      """
    return .text("text/html", Array(text.utf8)).adding("Set-Cookie", cookie)
  }
}

extension UInt8 {
  fileprivate var digits: String {
    let digits = String(self, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}
