internal import JSON

/// The file `status.json` in the folder of a state, which the consumer replaces about once a second.
struct StatusFile: Sendable {
  static let name = "status.json"

  private var file: ReplacedFile

  /// Creates the file object for the folder of a state, without writing.
  init(folder: String) { file = ReplacedFile("\(folder)/\(Self.name)") }

  /// Replaces the status. A failure is logged as a warning and stops nothing.
  mutating func replace(with status: ConsumerStatus, _ log: Log) { file.replace(with: "\(status.json)\n", log) }

  /// Reads the last status that a consumer of the state wrote; nil if there is none or it cannot be read.
  static func read(folder: String) -> ConsumerStatus? {
    SmallFile.bytes("\(folder)/\(name)").flatMap { try? JSONValue(parsing: $0) }.flatMap { ConsumerStatus($0) }
  }
}
