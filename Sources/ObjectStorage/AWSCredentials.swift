internal import Base
internal import DurableFiles
internal import Glibc
internal import HTTPClient
internal import JSON

/// A pair of keys with which requests are signed. They are never in a message.
struct AWSCredentials: Sendable {
  let accessKey: String
  let secretKey: String
  var sessionToken: String?
  /// The time at which they end; nil if they do not end.
  var expires: Timestamp?

  /// Credentials that are complete; nil if one of the keys is absent.
  init?(_ accessKey: String?, _ secretKey: String?, sessionToken: String? = nil, expires: Timestamp? = nil) {
    guard let accessKey, let secretKey, !accessKey.isEmpty, !secretKey.isEmpty else { return nil }
    (self.accessKey, self.secretKey) = (accessKey, secretKey)
    self.sessionToken = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
    self.expires = expires
  }
}

/// The places where the AWS tools look for credentials, in their order: the environment, the profile, the container, the instance.
struct CredentialSearch {
  let environment: (String) -> String?
  let profile: AWSProfile
  /// Sends a request, and returns the status and the text of its response; nil if there is none.
  let send: (StreamRequest) -> (status: Int, text: String)?

  /// Returns the credentials that are found first; nil if there are none.
  func run() throws(FileFailure) -> AWSCredentials? {
    if let found = AWSCredentials(
      environment("AWS_ACCESS_KEY_ID"),
      environment("AWS_SECRET_ACCESS_KEY"),
      sessionToken: environment("AWS_SESSION_TOKEN")
    ) {
      return found
    }
    if environment("AWS_WEB_IDENTITY_TOKEN_FILE") != nil { throw unsupported("AWS_WEB_IDENTITY_TOKEN_FILE") }
    if let found = AWSCredentials(
      profile["aws_access_key_id"],
      profile["aws_secret_access_key"],
      sessionToken: profile["aws_session_token"]
    ) {
      return found
    }
    for setting in ["credential_process", "sso_session", "sso_start_url", "role_arn", "login_session"] {
      if profile[setting] != nil { throw unsupported("\(setting) of the profile \(profile.name)") }
    }
    if let found = try ofContainer() { return found }
    return try ofInstance()
  }

  private func ofContainer() throws(FileFailure) -> AWSCredentials? {
    let url: String
    if let path = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
      url = "http://169.254.170.2\(path)"
    } else if let full = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
      url = full
    } else {
      return nil
    }
    guard Self.isLocal(url) else {
      throw FileFailure(
        .incompatible,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "The address is neither https nor of this machine"
      )
    }
    var request = StreamRequest(url: url)
    var token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN")
    if let file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
      token = String(decoding: try WholeFile.read(file, upTo: 1 << 16), as: UTF8.self)
    }
    if let token { request.headers.append("authorization: \(token.filter { !$0.isNewline })") }
    return try read(request, from: "AWS_CONTAINER_CREDENTIALS")
  }

  /// Indicates that no one else can read what is sent to a URL.
  private static func isLocal(_ url: String) -> Bool {
    let local = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "localhost", "127.0.0.1", "[::1]"]
    return url.hasPrefix("https://")
      || local.contains { host in url.hasPrefix("http://\(host)/") || url.hasPrefix("http://\(host):") }
  }

  /// The credentials of the role of an EC2 instance, over version 2 of its metadata service.
  private func ofInstance() throws(FileFailure) -> AWSCredentials? {
    guard environment("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { return nil }
    let base = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
    let root = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/latest"
    var request = local(StreamRequest(url: "\(root)/api/token"))
    request.isPut = true
    request.headers = ["x-aws-ec2-metadata-token-ttl-seconds: 21600", "content-length: 0"]
    guard let token = send(request), token.status == 200 else { return nil }
    request = local(StreamRequest(url: "\(root)/meta-data/iam/security-credentials/"))
    request.headers = ["x-aws-ec2-metadata-token: \(token.text.filter { !$0.isNewline })"]
    guard let roles = send(request), roles.status == 200,
      let role = roles.text.split(whereSeparator: \.isNewline).first
    else { return nil }
    request.url += role
    return try read(request, from: "The metadata of the instance")
  }

  /// A request that another machine never gets, and that waits for a second only.
  private func local(_ request: StreamRequest) -> StreamRequest {
    var request = request
    (request.usesProxy, request.connectTimeout, request.timeout) = (false, 1000, 1000)
    return request
  }

  private func read(_ request: StreamRequest, from place: String) throws(FileFailure) -> AWSCredentials {
    var request = request
    request.usesProxy = false
    guard let answer = send(request), answer.status == 200,
      let value = try? JSONValue(parsing: Array(answer.text.utf8)),
      let found = AWSCredentials(
        value["AccessKeyId"]?.text,
        value["SecretAccessKey"]?.text,
        sessionToken: value["Token"]?.text,
        expires: value["Expiration"]?.text.flatMap { Timestamp($0) }
      )
    else { throw FileFailure(.incompatible, place, "The service gives no credentials") }
    return found
  }

  private func unsupported(_ source: String) -> FileFailure {
    FileFailure(
      .incompatible,
      source,
      "Credentials from this source are not supported",
      advice: "Put them into the environment: eval \"$(aws configure export-credentials --format env)\""
    )
  }
}
