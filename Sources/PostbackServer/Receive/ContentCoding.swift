/// The coding of a body (RFC 9110, section 8.4.1), of those that are understood.
enum ContentCoding: Equatable, Sendable {
  /// None: the body is as it is meant.
  case identity
  /// gzip (RFC 1952), also by its old name.
  case gzip

  /// The coding of a request's body; nil where it is another one, or several.
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
