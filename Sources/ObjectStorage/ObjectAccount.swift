internal import Base
internal import DurableFiles
internal import HTTPClient
internal import Signatures

/// The access to an S3 service: the endpoint, the regions, and the credentials.
final class ObjectAccount {
  private let environment: (String) -> String?
  private let search: CredentialSearch
  /// The URL of a service that is not Amazon's, without a slash at its end; nil for Amazon's.
  private let endpoint: String?
  private let defaultRegion: String
  /// The regions of buckets, where they are not in `defaultRegion`.
  private var regions: [String: String] = [:]
  private var credentials: AWSCredentials?
  private var isSearched = false

  private static let validity = 300_000 as Int64

  /// Reads the settings. `send` sends the requests for credentials.
  init(
    _ environment: @escaping (String) -> String?,
    send: @escaping (StreamRequest) -> (status: Int, text: String)?
  ) throws(FileFailure) {
    self.environment = environment
    let profile = try AWSProfile(environment)
    search = CredentialSearch(environment: environment, profile: profile, send: send)
    let url = environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL") ?? profile["endpoint_url"]
    endpoint = url.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    defaultRegion = environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION") ?? profile["region"] ?? "us-east-1"
  }

  /// True if requests are signed.
  var isSigned: Bool { credentials != nil }

  /// Notes the region of a bucket. Returns false if it is known already.
  func note(region: String, of bucket: String) -> Bool {
    guard region != regions[bucket] ?? defaultRegion else { return false }
    regions[bucket] = region
    return true
  }

  /// Searches for credentials again before the next request. Returns false if they are without an end.
  func forgetCredentials() -> Bool {
    guard credentials?.expires != nil else { return false }
    isSearched = false
    return true
  }

  /// Returns the signed GET of a key, or with a query of a bucket. The names of the query must be in order.
  func request(bucket: String, key: String, query: [(String, String)] = []) throws(FileFailure) -> StreamRequest {
    try findCredentials()
    let region = regions[bucket] ?? defaultRegion
    let place = self.place(bucket, region)
    let slash = key.isEmpty && !place.path.isEmpty ? "" : "/"
    let path = place.path + slash + key.percentEncoded(keeping: UInt8(ascii: "/"))
    let query = query.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
    var request = StreamRequest(url: "\(place.scheme)://\(place.host)\(path)" + (query.isEmpty ? "" : "?\(query)"))
    request.authorities = environment("AWS_CA_BUNDLE") ?? environment("SSL_CERT_FILE")
    guard let credentials else { return request }
    do throws(LibcryptoFailure) {
      request.headers = try SignatureV4(credentials: credentials, region: region)
        .headers(host: place.host, path: path, query: query, at: .now)
    } catch {
      throw FileFailure(.io, "s3://\(bucket)/\(key)", error.description)
    }
    return request
  }

  /// The scheme, the host with its port, and the beginning of the path of a bucket's requests.
  private func place(_ bucket: String, _ region: String) -> (scheme: Substring, host: String, path: String) {
    guard let endpoint else {
      let host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
      // The certificate of the service is not for names with further dots.
      return bucket.contains(".") ? ("https", host, "/\(bucket)") : ("https", "\(bucket).\(host)", "")
    }
    let parts = endpoint.split(separator: "://", maxSplits: 1)
    let (scheme, rest) = parts.count == 2 ? (parts[0], parts[1]) : ("https", endpoint[...])
    var host = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(host.count)
    // libcurl leaves out the port that belongs to the scheme, and the header is signed.
    for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == name && host.hasSuffix(port) {
      host = host.dropLast(port.count)
    }
    return (scheme, String(host), "\(path)/\(bucket)")
  }

  private func findCredentials() throws(FileFailure) {
    if let expires = credentials?.expires, expires.milliseconds - Timestamp.now.milliseconds < Self.validity {
      isSearched = false
    }
    guard !isSearched else { return }
    credentials = try search.run()
    isSearched = true
  }
}
