internal import JSON

/// `status.json` in the folder of a state: what its consumer says of itself, about once a second.
struct StatusFile: Sendable {
  static let name = "status.json"

  private var file: ReplacedFile

  /// The file in the folder of a state.
  init(folder: String) { file = ReplacedFile("\(folder)/\(Self.name)") }

  /// Puts a status in the place of the last one. A failure is a warning, and stops nothing.
  mutating func replace(with status: ConsumerStatus, _ log: Log) { file.replace(with: "\(status.json)\n", log) }

  /// What the last consumer of a state said last; nil where there is nothing to be read.
  static func read(folder: String) -> ConsumerStatus? {
    SmallFile.bytes("\(folder)/\(name)").flatMap { try? JSONValue(parsing: $0) }.flatMap { ConsumerStatus($0) }
  }
}
