internal import Base
internal import ConversionModel
internal import PostbackServer

/// The cost of an answer of the conversion value API, without HTTP and on one thread.
enum ConversionValueBenchmark {
  private static let requests = 100_000

  static func measures(models path: String) throws -> [Measure] {
    let models = try Models(loading: [path])
    let apps = models.appIDs.compactMap { app in models.models(for: app).last.map { ("app.\(app)", app, $0) } }
    let api = ConversionValueAPI(models: models, appIDs: Dictionary(uniqueKeysWithValues: apps.map { ($0.0, $0.1) }))
    let now = 1_795_000_000
    let queries = apps.map { bundleID, _, _ in
      "a=key&p=iOS&i=\(bundleID)&v=17.4&app_v=1.2.3&n=purchase&skan_current_conversion_value=1&p0_coarse=1"
        + "&p0_prev_coarse_value=0&prev_fine_value=0&skan_total_revenue_by_currency=%7B%22USD%22%3A9.99%7D"
        + "&skan_total_admon_revenue_by_currency=%7B%22USD%22%3A0.05%7D&p0_total_iap_revenue=%7B%22USD%22%3A9.99%7D"
        + "&p0_total_admon_revenue=%7B%22USD%22%3A0.05%7D&skan_first_call_to_skadnetwork_timestamp=\(now - 7200)"
        + "&skan_last_call_to_skadnetwork_timestamp=\(now - 60)"
    }
    let time = Timestamp(milliseconds: Int64(now) * 1000)
    var bytes = 0
    let start = ContinuousClock.now
    for index in 0..<requests {
      bytes += api.answer(.v2, query: queries[index % queries.count], now: time).body.count
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard bytes > requests else { throw BenchmarkFailure("the answers are empty") }
    return [
      Measure("api.answer", "one answer", seconds / Double(requests) * 1e6, .microseconds)
    ]
  }
}
