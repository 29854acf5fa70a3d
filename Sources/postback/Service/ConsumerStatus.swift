internal import Base
internal import PostbackPipeline
internal import JSON

/// The status of a consumer at one moment, which it writes to `status.json`.
struct ConsumerStatus: Equatable, Sendable {
  var pid: Int32
  var startedAt: Timestamp
  var updatedAt: Timestamp
  var spool: String
  var waitingFiles: Int
  /// The time since which the oldest file in the spool waits; nil if none waits.
  var oldestWaitingAt: Timestamp?
  /// The records per second over the last minute; nil if unknown.
  var recordsPerSecond1m: Double?
  /// The records per second over the last 15 minutes; nil if unknown.
  var recordsPerSecond15m: Double?
  var residentBytes: Int64
  var openDescriptors: Int64

  /// Returns the age of the oldest waiting file at a time; nil if none waits.
  func lag(at time: Timestamp) -> Duration? { oldestWaitingAt.map { max(time.since($0), .zero) } }
}

extension ConsumerStatus {
  /// The status as JSON.
  var json: JSONValue {
    .object([
      .init("pid", .integer(pid)),
      .init("started_at", .string(startedAt.description)),
      .init("updated_at", .string(updatedAt.description)),
      .init("spool", .string(spool)),
      .init("waiting_files", .integer(waitingFiles)),
      .init("oldest_waiting_at", oldestWaitingAt.map { .string($0.description) } ?? .null),
      .init("records_per_s_1m", .decimal(recordsPerSecond1m)),
      .init("records_per_s_15m", .decimal(recordsPerSecond15m)),
      .init("resident_bytes", .integer(residentBytes)),
      .init("open_descriptors", .integer(openDescriptors)),
    ])
  }

  /// Reads the status from JSON; nil if a required member is missing or of another type.
  init?(_ json: JSONValue) {
    guard let pid = json["pid"]?.integer.flatMap({ Int32(exactly: $0) }),
      let startedAt = json["started_at"]?.text.flatMap({ Timestamp($0) }),
      let updatedAt = json["updated_at"]?.text.flatMap({ Timestamp($0) }),
      let spool = json["spool"]?.text,
      let waitingFiles = json["waiting_files"]?.integer.flatMap({ Int(exactly: $0) }),
      let residentBytes = json["resident_bytes"]?.integer,
      let openDescriptors = json["open_descriptors"]?.integer
    else { return nil }
    self.pid = pid
    self.startedAt = startedAt
    self.updatedAt = updatedAt
    self.spool = spool
    self.waitingFiles = waitingFiles
    oldestWaitingAt = json["oldest_waiting_at"]?.text.flatMap { Timestamp($0) }
    recordsPerSecond1m = json["records_per_s_1m"]?.decimal
    recordsPerSecond15m = json["records_per_s_15m"]?.decimal
    self.residentBytes = residentBytes
    self.openDescriptors = openDescriptors
  }
}
