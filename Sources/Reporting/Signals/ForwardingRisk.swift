internal import Glibc

/// The postbacks of which a device sent its own copy, and the times at which a network's copy could be expected.
///
/// A network forwards from its first to its last forwarded postback, and an outage pauses it. Times are those of the first
/// receipt of a postback, so that a slow forwarder's are not too late.
struct ForwardingRisk: Sendable {
  private struct Record: Sendable {
    /// The minute of the first receipt, since 1970.
    let minute: Int32
    /// The minutes until the first forwarded copy; -1 if there is none.
    let lag: Int32
  }

  private var records: [SignalCluster: [Record]] = [:]
  private var count = 0
  private var newest: Int32 = .min
  /// The number of postbacks that are left out, because there are too many.
  private(set) var unfollowed = 0

  private static let largestCount = 2_000_000
  private static let millisecondsPerMinute: Int64 = 60_000
  /// The shortest outage, in minutes.
  private static let shortestOutage = 720.0

  /// Adds a postback of which a device sent its own copy, with the times of the first copy and of the first forwarded one.
  mutating func add(_ cluster: SignalCluster, at first: Int64, forwardedAt forwarded: Int64?) {
    let minute = Int32(clamping: first / Self.millisecondsPerMinute)
    var lag: Int32 = -1
    if let forwarded {
      lag = forwarded == .max ? 0 : max(0, Int32(clamping: forwarded / Self.millisecondsPerMinute - Int64(minute)))
    }
    newest = max(newest, minute)
    append([Record(minute: minute, lag: lag)], of: cluster)
  }

  private mutating func append(_ new: [Record], of cluster: SignalCluster) {
    guard count + new.count <= Self.largestCount else {
      unfollowed += new.count
      return
    }
    count += new.count
    records[cluster, default: []] += new
  }

  mutating func merge(_ later: Self) {
    for (cluster, new) in later.records { append(new, of: cluster) }
    newest = max(newest, later.newest)
    unfollowed += later.unfollowed
  }

  /// Adds the postbacks of the time at risk to the clusters' counts.
  func count(in clusters: inout [SignalCluster: ClusterCounts]) {
    var forwarded: [String: [Record]] = [:]
    for (cluster, records) in records { forwarded[cluster.network, default: []] += records.filter { $0.lag >= 0 } }
    let times = forwarded.mapValues { Self.spans($0, newest) }
    for (cluster, records) in records {
      guard let spans = times[cluster.network], clusters[cluster] != nil else { continue }
      for record in records where spans.contains(where: { $0.contains(record.minute) }) {
        clusters[cluster]?.missing.add(record.lag < 0)
      }
    }
  }

  /// The spans of minutes in which a network forwards, from its forwarded postbacks.
  private static func spans(_ forwarded: [Record], _ newest: Int32) -> [ClosedRange<Int32>] {
    let minutes = forwarded.map(\.minute).sorted()
    guard var start = minutes.first, let end = minutes.last, minutes.count > 1 else { return [] }
    let lags = forwarded.map(\.lag).sorted()
    // What the network usually forwards by now.
    let last = min(end, newest - lags[lags.count * 99 / 100])
    let gaps = zip(minutes, minutes.dropFirst()).map { $1 - $0 }.sorted()
    let mean = max(1, Double(gaps[gaps.count / 2])) / log(2)
    let outage = max(shortestOutage, 2 * mean * log(Double(minutes.count) / 0.01))
    var spans: [ClosedRange<Int32>] = []
    for (one, next) in zip(minutes, minutes.dropFirst()) where Double(next - one) > outage {
      spans.append(start...one)
      start = next
    }
    spans.append(start...end)
    return spans.compactMap { $0.lowerBound <= last ? $0.lowerBound...min($0.upperBound, last) : nil }
  }
}
