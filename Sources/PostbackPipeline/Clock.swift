package import ConversionModel
internal import Glibc

extension Timestamp {
  /// The time that the system's clock shows.
  package static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time in UTC as RFC 3339 text, always with three digits for the milliseconds.
  package var withMilliseconds: String {
    let text = description
    return milliseconds % 1000 == 0 ? text.dropLast() + ".000Z" : text
  }

  /// The duration from `other` to this time, with millisecond resolution; negative if this time is the earlier one.
  package func since(_ other: Timestamp) -> Duration { .milliseconds(milliseconds - other.milliseconds) }
}

extension Duration {
  /// The duration in seconds, with fractions.
  package var seconds: Double { self / .seconds(1) }
}
