internal import Base
internal import Signatures

/// The signature of a GET for an S3 service: AWS Signature Version 4, with the signature in a header.
///
/// libcurl can sign too, but before version 7.86 it signs neither the header with the hash of the body, which S3 requires, nor
/// session tokens, nor the port of an endpoint.
struct SignatureV4 {
  /// The credentials that sign.
  let credentials: AWSCredentials
  let region: String

  /// The SHA-256 of a body without bytes.
  private static let emptyBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// Returns the headers that sign a GET of `path` and `query` from `host`, at a time. Both must be percent-encoded, and the
  /// query in the order of its parameters.
  func headers(host: String, path: String, query: String, at time: Timestamp) throws(LibcryptoFailure) -> [String] {
    let stamp = time.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    var signed = [("host", host), ("x-amz-content-sha256", Self.emptyBody), ("x-amz-date", stamp)]
    if let token = credentials.sessionToken { signed.append(("x-amz-security-token", token)) }
    let names = signed.map(\.0).joined(separator: ";")
    let lines = signed.map { "\($0.0):\($0.1)\n" }.joined()
    let request = "GET\n\(path)\n\(query)\n\(lines)\n\(names)\n\(Self.emptyBody)"
    let day = String(stamp.prefix(8))
    let scope = "\(day)/\(region)/s3/aws4_request"
    var digest = try SHA256()
    let hash = try digest.digest(of: Array(request.utf8).span).bytes
    let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(String(hexadecimal: hash.span))"
    var key = Array("AWS4\(credentials.secretKey)".utf8)
    for part in [day, region, "s3", "aws4_request", text] {
      key = try HMAC.sha256(of: Array(part.utf8).span, secret: key.span)
    }
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(String(hexadecimal: key.span))"
    return signed.map { "\($0.0): \($0.1)" } + ["authorization: \(authorization)"]
  }
}
