internal import Base

/// The HTTP routes of the conversion value API.
package struct ConversionValueRoutes: Sendable {
  private let api: ConversionValueAPI

  /// Creates routes that answer by `api`.
  package init(_ api: ConversionValueAPI) { self.api = api }

  /// The routes of all versions, `/api/v1/conversion_value` and `/api/v2/conversion_value`.
  package var routes: [Route] {
    ConversionValueVersion.allCases.map { version in
      Route(
        "conversion_value_\(version)",
        "GET",
        "/api/\(version)/conversion_value",
        action: .answer { request in answer(version, request) }
      )
    }
  }

  private func answer(_ version: ConversionValueVersion, _ request: HTTPRequest) -> HTTPResponse {
    let answer = api.answer(version, query: request.query, now: .now)
    let headers = [HTTPRequest.Field("Content-Type", ConversionValueAnswer.contentType)]
    return HTTPResponse(ConversionValueAnswer.status, headers: headers, body: answer.body)
  }
}
