internal import Base
internal import DurableFiles
internal import InfoPlist

extension NetworkList {
  /// The most bytes of a file.
  private static let mostBytes = 16 << 20

  /// The message for the file of a list without ids.
  static func empty(_ path: String) -> String {
    "\(path): The file has no id of an ad network. Check that it is a list."
  }

  /// Reads the list of a file.
  init(file path: String) throws {
    let bytes = try Self.bytes(of: path)
    do throws(PropertyListDefect) { try self.init(bytes) } catch {
      let line = error.line.map { "line \($0): " } ?? ""
      throw CommandFailure(.configuration, "\(path): \(line)\(error.reason)".withControlCharactersEscaped)
    }
  }

  /// Reads a regular file.
  static func bytes(of path: String) throws -> [UInt8] {
    guard try FileStatus(path: path).kind == .regular else {
      throw FileFailure(.notFound, path, "This is not a regular file", advice: "Give the file itself")
    }
    return try WholeFile.read(path, upTo: mostBytes)
  }
}
