internal import Base
public import Foundation

/// A server with the conversion value API, such as `postback serve`.
///
/// A request that gets no answer, or a status of 500 and above, is repeated twice, after 1 and 4 seconds, unchanged: it
/// changes nothing on the server.
public struct ServerValues: ConversionValueSource {
  /// A version of the API.
  public enum Version: String, Sendable {
    /// For SKAdNetwork 1 to 3.
    case v1
    /// For SKAdNetwork 4 and AdAttributionKit.
    case v2
  }

  private let endpoint: String
  private let app: AppIdentity
  private let version: Version
  private let transport: any Transport
  private let clock: any Clock

  /// False: the API answers for installs.
  public var knowsReengagements: Bool { false }

  /// The API of a server.
  ///
  /// - Parameters:
  ///   - server: The address before `/api/v2/conversion_value`.
  ///   - app: The app and the device.
  ///   - version: The version of the API, which follows from the framework of the client.
  ///   - transport: The HTTP client.
  ///   - clock: The clock for the pauses before repetitions.
  public init(
    of server: URL,
    for app: AppIdentity,
    version: Version = .v2,
    transport: any Transport = URLSessionTransport(),
    clock: any Clock = SystemClock()
  ) {
    endpoint = server.appendingPathComponent("api/\(version.rawValue)/conversion_value").absoluteString
    (self.app, self.version, self.transport, self.clock) = (app, version, transport, clock)
  }

  /// Asks the server.
  ///
  /// - Throws: `network` or `httpStatus` after the last repetition, `refused` with the server's reason,
  ///   `malformedAnswer` or `illegalValue` for an answer that is not of this API, and `cancelled`.
  public func values(for request: ConversionValueRequest) async throws(ConversionClientError) -> ConversionValues? {
    guard let url = URL(string: endpoint + "?" + query(request)) else { throw .malformedAnswer(endpoint) }
    let answer = try await answer(to: url)
    return try ServerAnswer(answer.body).values(default: request.window)
  }

  /// The query of a request, in the order of its names.
  private func query(_ request: ConversionValueRequest) -> String {
    var parameters = request.parameters
    if version == .v1 {
      parameters = [:]
      for (name, value) in request.parameters {
        if let name = Self.nameInVersion1(name) { parameters[name] = value }
      }
    }
    parameters.merge(app.parameters) { _, new in new }
    parameters["n"] = request.event
    // A `+` is encoded too, because servers read it as a space.
    return parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.percentEncoded)" }.joined(separator: "&")
  }

  private static func nameInVersion1(_ name: String) -> String? {
    switch name {
    case "skan_current_conversion_value": "conversion_value"
    case "skan_first_call_to_skadnetwork_timestamp": "first_call_to_skadnetwork_timestamp"
    case "skan_last_call_to_skadnetwork_timestamp": "last_call_to_skadnetwork_timestamp"
    case "skan_total_revenue_by_currency": "total_revenue_by_currency"
    case "skan_total_admon_revenue_by_currency": "total_admon_revenue_by_currency"
    default: nil
    }
  }

  /// Gets a URL. Repeats it after a failure of the network and after a status of 500 or more, after pauses.
  private func answer(to url: URL) async throws(ConversionClientError) -> HTTPAnswer {
    var failure = ConversionClientError.cancelled
    for pause in [0.0, 1, 4] {
      do {
        if pause > 0 { try await clock.sleep(seconds: pause) }
        try Task.checkCancellation()
      } catch {
        throw .cancelled
      }
      do {
        let answer = try await transport.get(url)
        if answer.status == 200 { return answer }
        failure = .httpStatus(answer.status)
        if answer.status < 500 { break }
      } catch {
        failure = .network(error)
      }
    }
    throw failure
  }
}

/// The app and the device, as the parameters `i`, `a`, `app_v`, `v`, `idfa` and `idfv` of requests name them.
public struct AppIdentity: Sendable {
  /// The bundle id, in the case in which it is registered.
  public var bundleID: String
  /// The SDK key, for servers that ask for one.
  public var sdkKey: String?
  /// The version of the app.
  public var appVersion: String?
  /// The version of iOS, such as 18.1.
  public var systemVersion: String?
  /// The advertising identifier, if the user allows it.
  public var advertisingID: UUID?
  /// The identifier for the vendor.
  public var vendorID: UUID?

  /// An app on a device.
  public init(
    bundleID: String,
    sdkKey: String? = nil,
    appVersion: String? = nil,
    systemVersion: String? = nil,
    advertisingID: UUID? = nil,
    vendorID: UUID? = nil
  ) {
    (self.bundleID, self.sdkKey, self.appVersion) = (bundleID, sdkKey, appVersion)
    (self.systemVersion, self.advertisingID, self.vendorID) = (systemVersion, advertisingID, vendorID)
  }

  fileprivate var parameters: [String: String] {
    var parameters = ["p": "iOS", "i": bundleID]
    parameters["a"] = sdkKey
    parameters["app_v"] = appVersion
    parameters["v"] = systemVersion
    parameters["idfa"] = advertisingID?.uuidString
    parameters["idfv"] = vendorID?.uuidString
    return parameters
  }
}
