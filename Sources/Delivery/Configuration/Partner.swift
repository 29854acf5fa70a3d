/// A partner that postbacks are delivered to.
package struct Partner: Sendable {
  /// The name of the partner in the state and in tables.
  package let id: String
  /// Indicates that deliveries are planned and sent.
  var isEnabled = true
  /// The networks whose postbacks the partner receives, in canonical form; nil for those of all networks.
  var networks: Set<String>? = []
  /// The apps whose postbacks the partner receives; nil for all.
  var apps: Set<Int64>?
  var environments: Set<String> = ["production"]
  /// The time between the receipt of a postback and its first attempt, in milliseconds.
  var hold: Int64 = 0
  var kinds: Set<DeliveryKind> = [.install, .redownload, .reengagement, .event]
  var windows: Set<Int64> = [0, 1, 2]
  var includesNulls = true
  var includesLost = false
  var minimumTrust: Int64 = 0
  var url: URLTemplate
  /// Indicates a POST, and no GET.
  var isPost = true
  var body: BodyTemplate?
  /// The lines of headers.
  var headers: [String] = []
  var secrets = PartnerSecrets()
  var booleans = BooleanWords.words
  var addresses = PublicAddress(allowing: [])
  /// The age of a postback after which it is not sent for the first time, in milliseconds.
  var maximumAge: Int64 = 3_888_000_000
  var signature: WebhookSignature?
  var retry = RetryPolicy()
  /// The time for one request, in milliseconds.
  var timeout: Int64 = 5000
  /// The number of requests in a second; nil for no limit.
  var rate: Double?
  /// The number of requests that may run at the same time.
  var connections = 16

  init(id: String, url: URLTemplate) { (self.id, self.url) = (id, url) }

  /// Returns the time at which a postback is due, by the time of its receipt, which may be unknown or in the future.
  func firstAttempt(of receivedAt: Int64?, at now: Int64) -> Int64 { min(receivedAt ?? now, now) + hold }

  /// The macros in the URL and the body.
  var macros: Set<TemplatePlaceholder> { url.macros.union(body?.macros ?? []) }

  /// Indicates that requests have the body of the postback as it was received.
  package var usesRawBody: Bool { macros.contains { $0.isOfRawBody } }
}

/// The times of attempts after failures, and the failures that are tried again.
struct RetryPolicy: Sendable {
  /// The times between attempts in milliseconds; the last one repeats.
  var delays: [Int64] = [60_000, 300_000, 900_000, 1_800_000, 3_600_000]
  /// The time after the first attempt after which there is no further one, in milliseconds.
  var givesUpAfter: Int64 = 86_400_000
  /// The results that are tried again: `network`, statuses, and classes of statuses such as `5xx`.
  var retried: Set<String> = ["5xx", "408", "425", "429", "network"]

  /// The greatest `Retry-After` that is respected, in milliseconds.
  static let longestRetryAfter: Int64 = 3_600_000

  /// The longest time between two attempts, in milliseconds.
  var longestDelay: Int64 { max((delays.max() ?? 0) * 6 / 5, Self.longestRetryAfter) }

  /// Indicates that an attempt with this status is repeated; 0 stands for no response.
  func retries(_ status: Int) -> Bool {
    status == 0
      ? retried.contains("network") : retried.contains("\(status)") || retried.contains("\(status / 100)xx")
  }

  /// Returns the time to the next attempt after a number of attempts. `jitter` is from -1 to 1.
  func delay(after attempts: Int, jitter: Double, retryAfter: Int64) -> Int64 {
    let delay = delays[min(max(attempts, 1), delays.count) - 1]
    return max(delay + Int64(Double(delay) * 0.2 * jitter), min(retryAfter, Self.longestRetryAfter))
  }
}
