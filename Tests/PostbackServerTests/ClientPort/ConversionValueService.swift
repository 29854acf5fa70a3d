import ConversionModel
import PostbackServer

/// Where a client asks for conversion values.
protocol ConversionValueService {
  /// What the service's clock is ahead of the client's, in seconds, when that shows `time`.
  func clockOffset(at time: Int) -> Int

  /// The body of the answer to a GET when the client's clock shows `time`; nil where none came.
  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]?
}

/// The API itself, without HTTP, by the client's clock.
struct DirectService: ConversionValueService {
  let api: ConversionValueAPI

  func clockOffset(at time: Int) -> Int { 0 }

  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]? {
    let versions: [String: ConversionValueVersion] = ["/api/v1/conversion_value": .v1, "/api/v2/conversion_value": .v2]
    guard let version = versions[path] else { return nil }
    return api.answer(version, query: query, now: Timestamp(milliseconds: Int64(time) * 1000)).body
  }
}
