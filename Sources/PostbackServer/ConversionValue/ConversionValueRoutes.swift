internal import ConversionModel
package import PostbackPipeline

/// Where apps ask for conversion values.
package struct ConversionValueRoutes: Sendable {
  private let models: CurrentModels
  private let settings: ConversionValueAPI

  /// Routes that answer by the models of the moment, and else as `settings` says.
  package init(_ models: CurrentModels, _ settings: ConversionValueAPI) {
    self.models = models
    self.settings = settings
  }

  /// The routes of both versions.
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
