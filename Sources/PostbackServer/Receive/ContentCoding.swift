/// The coding of a body (RFC 9110, section 8.4.1), among those that the server supports.
enum ContentCoding: Equatable, Sendable {
  /// No coding: the bytes are the content.
  case identity
  /// gzip (RFC 1952), also under its old name `x-gzip`.
  case gzip

  /// Reads the coding of a request's body; nil if it is an unsupported one, or more than one.
  init?(of request: HTTPRequest) {
    var codings: [Substring] = []
    for value in request.values(of: "Content-Encoding") {
      codings += value.split { $0 == "," || $0 == " " || $0 == "\t" }
    }
    codings.removeAll { String($0).isEqualIgnoringCase(to: "identity") }
    switch codings.count {
    case 0: self = .identity
    case 1 where ["gzip", "x-gzip"].contains { String(codings[0]).isEqualIgnoringCase(to: $0) }: self = .gzip
    default: return nil
    }
  }
}
