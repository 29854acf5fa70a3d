internal import Base
package import PostbackPipeline

/// The HTTP routes of the conversion value API.
package struct ConversionValueRoutes: Sendable {
  private let models: CurrentModels
  private let settings: ConversionValueAPI

  /// Creates routes that answer by the models in force at each request, and otherwise by `settings`.
  package init(_ models: CurrentModels, _ settings: ConversionValueAPI) {
    self.models = models
    self.settings = settings
  }

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
    var api = settings
    api.models = models.value
    let answer = api.answer(version, query: request.query, now: .now)
    let headers = [HTTPRequest.Field("Content-Type", ConversionValueAnswer.contentType)]
    return HTTPResponse(ConversionValueAnswer.status, headers: headers, body: answer.body)
  }
}
