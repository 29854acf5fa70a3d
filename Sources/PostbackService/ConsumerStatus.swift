package import Base
internal import DurableFiles
package import JSON

/// The status of a consumer at one moment, which it writes to `status.json`.
package struct ConsumerStatus: Equatable, Sendable {
  /// The number of the process.
  package let pid: Int32
  /// The time at which the process started to consume.
  package let startedAt: Timestamp
  /// The time of this status.
  package let updatedAt: Timestamp
  /// The phase of the consumer.
  package let phase: ConsumerPhase
  /// The reason for the failing phase; nil in other phases.
  package let failure: String?
  /// The reason why what is too old is not removed; nil if it is.
  package let refusedRemoval: String?
  /// The disks without room.
  package let fullDisks: [DiskPlace]
  /// The path of the spool.
  package let spool: String
  /// The number of files that wait in the spool.
  package let waitingFiles: Int
  /// The time since which the oldest file in the spool waits; nil if none waits.
  package let oldestWaitingAt: Timestamp?
  /// The records per second over the last minute; nil if unknown.
  package let recordsPerSecond1m: Double?
  /// The records per second over the last 15 minutes; nil if unknown.
  package let recordsPerSecond15m: Double?
  /// The resident memory of the process.
  package let residentBytes: Int64
  /// The number of open files of the process.
  package let openDescriptors: Int64

  /// Indicates that the consumer that wrote this status has not ended.
  package var isAlive: Bool {
    guard phase != .stopped else { return false }
    // Another process that got the same number later started after this status began.
    return ProcessUsage.startTime(of: pid).map { $0.milliseconds <= startedAt.milliseconds + 1000 } ?? false
  }
}

extension ConsumerStatus {
  /// The status as JSON.
  package var json: JSONValue {
    .object([
      .init("pid", .integer(pid)),
      .init("started_at", .string(startedAt.description)),
      .init("updated_at", .string(updatedAt.description)),
      .init("state", .string(phase.rawValue)),
      .init("failure", .text(failure)),
      .init("retention_refused", .text(refusedRemoval)),
      .init("full_disks", .array(fullDisks.map { .string($0.rawValue) })),
      .init("spool", .string(spool)),
      .init("waiting_files", .integer(waitingFiles)),
      .init("oldest_waiting_at", .text(oldestWaitingAt?.description)),
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
    // Versions before these members ran only in this phase.
    phase = json["state"]?.text.flatMap { ConsumerPhase(rawValue: $0) } ?? .running
    failure = json["failure"]?.text
    refusedRemoval = json["retention_refused"]?.text
    if case .array(let disks)? = json["full_disks"] {
      fullDisks = disks.compactMap { $0.text.flatMap { DiskPlace(rawValue: $0) } }
    } else {
      fullDisks = []
    }
    self.spool = spool
    self.waitingFiles = waitingFiles
    oldestWaitingAt = json["oldest_waiting_at"]?.text.flatMap { Timestamp($0) }
    recordsPerSecond1m = json["records_per_s_1m"]?.decimal
    recordsPerSecond15m = json["records_per_s_15m"]?.decimal
    self.residentBytes = residentBytes
    self.openDescriptors = openDescriptors
  }
}

/// The file `status.json` in the folder of a state, which the consumer replaces about once a second.
package struct StatusFile: Sendable {
  static let name = "status.json"

  private var file: ReplacedFile

  /// Creates the file object for the folder of a state, without writing.
  init(folder: String) { file = ReplacedFile("\(folder)/\(Self.name)") }

  /// Replaces the status. A failure is logged as a warning and stops nothing.
  mutating func replace(with status: ConsumerStatus, _ log: Log) {
    let text = "\(status.json)"
    // The file keeps room for a longer text, which a full disk does not give any more.
    let padding = String(repeating: " ", count: max(Self.leastBytes - text.utf8.count - 1, 0))
    file.replace(with: "\(text)\(padding)\n", log)
  }

  private static let leastBytes = 4096

  /// Reads the last status that a consumer of the state wrote; nil if there is none or it cannot be read.
  package static func read(folder: String) -> ConsumerStatus? {
    (try? WholeFile.read("\(folder)/\(name)", upTo: 1 << 20)).flatMap { try? JSONValue(parsing: $0) }.flatMap {
      ConsumerStatus($0)
    }
  }
}
