package import ConversionModel
internal import Glibc

extension Timestamp {
  /// The time that the system's clock shows.
  package static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time in UTC, always with milliseconds.
  package var withMilliseconds: String {
    let text = description
    return milliseconds % 1000 == 0 ? text.dropLast() + ".000Z" : text
  }

  /// How long it is from another time to this.
  package func since(_ other: Timestamp) -> Duration { .milliseconds(milliseconds - other.milliseconds) }
}

extension Duration {
  /// In seconds.
  package var seconds: Double { self / .seconds(1) }
}
