internal import DurableFiles
internal import Glibc

/// The output of a command: a file that is hidden until it is complete, or standard output.
enum OutputFile {
  case file(UnfinishedFile)
  case standardOutput

  /// The path that stands for standard output.
  static let standardOutputPath = "-"

  /// Creates the hidden file. Throws if the path exists, unless `overwrites` is true and it is a regular file.
  init(_ path: String, overwrites: Bool = false, advice: String = "Remove it, or give another name.") throws {
    guard path != Self.standardOutputPath else {
      self = .standardOutput
      return
    }
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      guard overwrites else { throw CommandFailure(.cannotCreate, "The file \(path) exists already. \(advice)") }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw CommandFailure(
          .cannotCreate,
          "\(path) is not a regular file and cannot be overwritten. Give another name."
        )
      }
    }
    self = .file(try UnfinishedFile(path))
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws {
    switch self {
    case .file(let file): try file.write(bytes)
    case .standardOutput:
      guard bytes.writeAll(to: STDOUT_FILENO) else {
        let reason = unsafe String(cString: strerror(errno))
        throw CommandFailure(.inputOutput, "Standard output cannot be written: \(reason).")
      }
    }
  }

  /// Makes the file durable and publishes it under its name, complete. Does nothing for standard output.
  func publish() throws {
    guard case .file(let file) = self else { return }
    try file.synchronize()
    try file.publish()
  }
}
