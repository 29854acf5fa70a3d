internal import Base
package import ConversionModel
internal import Signatures

/// The HTTP route of conversion schemas, `/v1/schema/{app_id}`, for partners that have a token.
package struct SchemaRoutes: Sendable {
  private let models: Models
  private let authentication: ForwarderAuthentication
  private let isOpen: Bool

  /// Creates the route for requests with one of the tokens; there is none without tokens.
  package init(_ models: Models, tokens: [[UInt8]]) {
    self.models = models
    authentication = ForwarderAuthentication([Forwarder(name: "schema", secret: .bearer(tokens: tokens))])
    isOpen = !tokens.isEmpty
  }

  private static let path = "/v1/schema/"

  /// The route, or none.
  package var routes: [Route] {
    isOpen ? [Route("schema", "GET", Self.path + Route.anyName, action: .answer { answer($0, at: .now) })] : []
  }

  /// Returns the answer to a request: the schema of the model for installs at a time, unless the client has it already.
  func answer(_ request: HTTPRequest, at time: Timestamp) -> HTTPResponse {
    guard authentication.claim(request).name != nil else {
      return HTTPResponse.error(401, "Give a token of schema_token_files in the header Authorization.")
        .adding("WWW-Authenticate", "Bearer")
    }
    let name = request.path.withoutTrailingSlashes.dropFirst(Self.path.count)
    guard let appID = Int64(name), "\(appID)" == name, let model = models.model(appID: appID, at: time) else {
      return .error(404, "There is no conversion model of this app for installs now.")
    }
    let response = HTTPResponse(200, json: ConversionSchema(model).json)
    guard var hash = try? SHA256(), let digest = try? hash.digest(of: response.body.span) else {
      return .error(500, "libcrypto failed.")
    }
    let bytes = digest.bytes
    let tag = "\"\(String(hexadecimal: bytes.span))\""
    let known = request.values(of: "If-None-Match").flatMap { $0.split(separator: ",") }.map { tag in
      let tag = tag.drop { $0 == " " }.prefix { $0 != " " }
      return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
    guard known.contains(where: { $0 == tag || $0 == "*" }) else { return response.adding("ETag", tag) }
    return HTTPResponse(304, headers: [.init("ETag", tag)])
  }
}
