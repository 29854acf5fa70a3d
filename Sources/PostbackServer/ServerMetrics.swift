internal import Metrics
internal import PostbackPipeline
internal import SKAdNetwork
internal import Synchronization

/// The counters of a server since its start.
package final class ServerMetrics: Sendable {
  private let counts = Mutex(ServerCounts())
  private let connections = Atomic<Int>(0)
  private let requests = Atomic<Int>(0)

  /// Creates counters at zero.
  package init() {}

  /// Counts a connection that was opened.
  func addConnection() { connections.add(1, ordering: .relaxed) }

  /// Counts a connection that was closed.
  func removeConnection() { connections.subtract(1, ordering: .relaxed) }

  /// Counts a request that began.
  func beginRequest() { requests.add(1, ordering: .sequentiallyConsistent) }

  /// Counts the end of a request. A request that this server did not answer had a head that the library refused as
  /// malformed or too large, or a client that was too slow or went away.
  func endRequest(wasAnswered: Bool) {
    requests.subtract(1, ordering: .sequentiallyConsistent)
    if !wasAnswered { counts.withLock { $0.unanswered += 1 } }
  }

  /// The number of requests that have begun and not ended.
  var requestsInFlight: Int { requests.load(ordering: .sequentiallyConsistent) }

  /// Counts an answered request and the time from its headers to its answer.
  func add(_ route: String, _ status: Int, _ duration: Duration) {
    counts.withLock { counts in
      counts.requests[.init(route: route, status: status), default: 0] += 1
      counts.requestDurations.observe(duration)
    }
  }

  /// Counts a connection that was refused or cut, by the reason.
  func add(refused reason: String) { counts.withLock { $0.refused[reason, default: 0] += 1 } }

  /// Counts received bytes of bodies.
  func add(bodyBytes count: Int) { counts.withLock { $0.bodyBytes += Int64(count) } }

  /// Counts postbacks that were acknowledged.
  func add(received count: Int, _ channel: Channel) {
    counts.withLock { $0.received[channel, default: 0] += Int64(count) }
  }

  /// Counts an attempt to write a file to the spool, with its duration and its outcome.
  func add(commit duration: Duration, bytes: Int, succeeded: Bool) {
    counts.withLock { counts in
      counts.commits[succeeded, default: 0] += 1
      counts.commitDurations.observe(duration)
      if succeeded { counts.committedBytes += Int64(bytes) }
    }
  }

  /// Returns the metrics as text, together with the current gauges. `waitingBytes` is the number of bytes that wait to
  /// be made durable.
  package func exposition(waitingBytes: Int) -> String {
    let counts = counts.withLock { $0 }
    return counts.exposition(
      connections: connections.load(ordering: .relaxed),
      inFlight: requestsInFlight,
      waitingBytes: waitingBytes
    )
  }
}

/// The counts at one moment.
struct ServerCounts: Sendable {
  struct Answer: Hashable, Sendable {
    let route: String
    let status: Int
  }

  var requests: [Answer: Int64] = [:]
  var requestDurations = Histogram(bounds: [0.0005, 0.001, 0.0025] + Histogram().bounds)
  var unanswered: Int64 = 0
  var refused: [String: Int64] = [:]
  var bodyBytes: Int64 = 0
  var received: [Channel: Int64] = [:]
  var commits: [Bool: Int64] = [:]
  var commitDurations = Histogram(bounds: [0.0005, 0.001, 0.0025] + Histogram().bounds)
  var committedBytes: Int64 = 0

  func exposition(connections: Int, inFlight: Int, waitingBytes: Int) -> String {
    var text = Exposition()
    text.begin("postback_http_requests_total", .counter, "Requests answered, by route and status.")
    for (answer, count) in requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
      text.add(count, ["route": answer.route, "status": "\(answer.status)"])
    }
    text.begin("postback_http_request_duration_seconds", .histogram, "Time from a request's headers to its answer.")
    text.add(requestDurations)
    text.begin(
      "postback_http_unanswered_total",
      .counter,
      "Requests that no route answered: the syntax was wrong, the headers too large, the client too slow, or it left."
    )
    text.add(unanswered)
    text.begin("postback_http_refused_total", .counter, "Connections refused or cut, by reason.")
    for (reason, count) in refused.sorted(by: { $0.key < $1.key }) { text.add(count, ["reason": reason]) }
    text.begin("postback_http_body_bytes_total", .counter, "Bytes of request bodies.")
    text.add(bodyBytes)
    text.begin("postback_http_connections", .gauge, "Open connections.")
    text.add(Int64(connections))
    text.begin("postback_http_requests_in_flight", .gauge, "Requests that have begun and not ended.")
    text.add(Int64(inFlight))
    addReceiver(to: &text, waitingBytes)
    return text.text
  }

  private func addReceiver(to text: inout Exposition, _ waitingBytes: Int) {
    text.begin("postback_received_total", .counter, "Postbacks made durable and acknowledged, by channel.")
    for channel in Channel.allCases { text.add(received[channel] ?? 0, ["channel": channel.rawValue]) }
    text.begin("postback_receiver_commits_total", .counter, "Files written to the spool, by outcome.")
    text.add(commits[true] ?? 0, ["outcome": "done"])
    text.add(commits[false] ?? 0, ["outcome": "failed"])
    text.begin("postback_receiver_commit_duration_seconds", .histogram, "Time to write a file to the spool.")
    text.add(commitDurations)
    text.begin("postback_receiver_committed_bytes_total", .counter, "Bytes written to the spool.")
    text.add(committedBytes)
    text.begin("postback_receiver_waiting_bytes", .gauge, "Bytes that wait to be made durable.")
    text.add(Int64(waitingBytes))
  }
}
