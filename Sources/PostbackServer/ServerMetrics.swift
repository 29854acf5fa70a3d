internal import Metrics
internal import SKAdNetwork
internal import Synchronization

/// The counters of a server since its start.
package final class ServerMetrics: Sendable {
  private let counts = Mutex(ServerCounts())
  private let connections = Atomic<Int>(0)
  private let requests = Atomic<Int>(0)
  private let connectionLimit = Atomic<Int>(0)

  /// Creates counters at zero.
  package init() {}

  /// Sets the largest number of open connections.
  func limit(connections limit: Int) { connectionLimit.store(limit, ordering: .relaxed) }

  /// Sets the forwarders that may send postbacks, whose counts begin at zero, as do those of their refused requests: an
  /// increase is seen only of a counter that was there before.
  func expect(forwarders names: [String]) {
    counts.withLock { counts in
      for status in names.isEmpty ? [] : [401, 429] {
        counts.requests[.init(route: Receiver.forwarderRoute, status: status), default: 0] += 0
      }
      for name in names {
        counts.add(0, received: .networkForwarded, name)
        counts.add(0, leftOut: name)
      }
    }
  }

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
      counts.requestDurations[route, default: ServerCounts.shortTimes].observe(duration)
    }
  }

  /// Counts a connection that was refused or cut, by the reason.
  func add(refused reason: String) { counts.withLock { $0.refused[reason, default: 0] += 1 } }

  /// Counts received bytes of bodies.
  func add(bodyBytes count: Int) { counts.withLock { $0.bodyBytes += Int64(count) } }

  /// Counts postbacks that were acknowledged, of a forwarder if it is given.
  func add(received count: Int, _ channel: Channel, _ forwarder: String?) {
    counts.withLock { $0.add(Int64(count), received: channel, forwarder) }
  }

  /// Counts records of a forwarder that have nothing of a postback and were left out.
  func add(leftOut count: Int, _ forwarder: String) { counts.withLock { $0.add(Int64(count), leftOut: forwarder) } }

  /// Counts an attempt to write a file to the spool, with its duration, the part of it in fsync, and its outcome.
  func add(commit duration: Duration, synchronization: Duration, bytes: Int, succeeded: Bool) {
    counts.withLock { counts in
      counts.commits[succeeded, default: 0] += 1
      counts.commitDurations.observe(duration)
      counts.synchronizationDurations.observe(synchronization)
      if succeeded { counts.committedBytes += Int64(bytes) }
    }
  }

  /// Returns the metrics as text, together with the current gauges of the spool, and of apps' events if the server takes them.
  package func exposition(_ commits: GroupCommit, events: GroupCommit? = nil) -> String {
    let counts = counts.withLock { $0 }
    var text = Exposition()
    counts.addRequests(to: &text)
    text.begin("postback_http_connections", .gauge, "Open connections.")
    text.add(Int64(connections.load(ordering: .relaxed)))
    text.begin("postback_http_connections_max", .gauge, "Connections above which idle ones are closed.")
    text.add(Int64(connectionLimit.load(ordering: .relaxed)))
    text.begin("postback_http_requests_in_flight", .gauge, "Requests that have begun and not ended.")
    text.add(Int64(requestsInFlight))
    counts.addReceiver(to: &text)
    text.begin("postback_receiver_waiting_bytes", .gauge, "Bytes that wait to be made durable.")
    text.add(Int64(commits.waitingBytes))
    text.begin(
      "postback_receiver_failing",
      .gauge,
      "1 while postbacks cannot be acknowledged: a write to the spool failed, or does not end."
    )
    text.add(commits.failure == nil ? 0 as Int64 : 1)
    text.begin("postback_receiver_writing_seconds", .gauge, "Time since the start of the write that is in progress.")
    text.add(commits.writingTime / .seconds(1))
    if let events {
      text.begin("postback_events_failing", .gauge, "1 while apps' events cannot be stored.")
      text.add(events.failure == nil ? 0 as Int64 : 1)
    }
    return text.text
  }
}

/// The counts at one moment.
struct ServerCounts: Sendable {
  struct Answer: Hashable, Sendable {
    let route: String
    let status: Int
  }

  private struct Sender: Hashable {
    let channel: Channel
    let forwarder: String?
  }

  var requests: [Answer: Int64] = [:]
  /// The times from the headers of requests to their answers, by route.
  var requestDurations: [String: Histogram] = [:]
  var unanswered: Int64 = 0
  var refused: [String: Int64] = [:]
  var bodyBytes: Int64 = 0
  private var received: [Sender: Int64] = [Sender(channel: .appleDirect, forwarder: nil): 0]
  private var leftOut: [String: Int64] = [:]
  private var forwarders = BoundedLabels()
  var commits: [Bool: Int64] = [:]
  var commitDurations = Self.shortTimes
  var synchronizationDurations = Self.shortTimes
  var committedBytes: Int64 = 0

  /// An empty histogram of short times.
  static let shortTimes = Histogram(bounds: [0.0005, 0.001, 0.0025] + Histogram().bounds)

  /// Counts acknowledged postbacks.
  mutating func add(_ count: Int64, received channel: Channel, _ forwarder: String?) {
    let forwarder = forwarder.map { forwarders.label(for: $0) }
    received[Sender(channel: channel, forwarder: forwarder), default: 0] += count
  }

  /// Counts records that were left out.
  mutating func add(_ count: Int64, leftOut forwarder: String) {
    leftOut[forwarders.label(for: forwarder), default: 0] += count
  }

  func addRequests(to text: inout Exposition) {
    text.begin("postback_http_requests_total", .counter, "Requests answered, by route and status.")
    for (answer, count) in requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
      text.add(count, ["route": answer.route, "status": "\(answer.status)"])
    }
    text.begin(
      "postback_http_request_duration_seconds",
      .histogram,
      "Time from a request's headers to its answer, by route."
    )
    for (route, durations) in requestDurations.sorted(by: { $0.key < $1.key }) { text.add(durations, ["route": route]) }
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
  }

  func addReceiver(to text: inout Exposition) {
    text.begin(
      "postback_received_total",
      .counter,
      "Postbacks made durable and acknowledged, by channel and forwarder."
    )
    let sorted = received.sorted {
      ($0.key.channel.rawValue, $0.key.forwarder ?? "") < ($1.key.channel.rawValue, $1.key.forwarder ?? "")
    }
    for (sender, count) in sorted {
      if let forwarder = sender.forwarder {
        text.add(count, ["channel": sender.channel.rawValue, "forwarder": forwarder])
      } else {
        text.add(count, ["channel": sender.channel.rawValue])
      }
    }
    text.begin(
      "postback_receiver_left_out_total",
      .counter,
      "Records without anything of a postback that were counted and not stored, by forwarder."
    )
    for (forwarder, count) in leftOut.sorted(by: { $0.key < $1.key }) { text.add(count, ["forwarder": forwarder]) }
    text.begin("postback_receiver_commits_total", .counter, "Files written to the spool, by outcome.")
    text.add(commits[true] ?? 0, ["outcome": "done"])
    text.add(commits[false] ?? 0, ["outcome": "failed"])
    text.begin("postback_receiver_commit_duration_seconds", .histogram, "Time to write a file to the spool.")
    text.add(commitDurations)
    text.begin("postback_receiver_fsync_duration_seconds", .histogram, "Time of fsync within the write of a file.")
    text.add(synchronizationDurations)
    text.begin("postback_receiver_committed_bytes_total", .counter, "Bytes written to the spool.")
    text.add(committedBytes)
  }
}
