internal import Base
internal import DurableFiles
internal import Glibc

/// The resources that a process uses; a value is 0 if the system does not report it.
struct ProcessUsage: Equatable, Sendable {
  var residentBytes: Int64 = 0
  var openDescriptors: Int64 = 0
  var startedAt = Timestamp(milliseconds: 0)

  /// Returns the usage of this process now (proc(5)).
  static func now() -> ProcessUsage {
    var usage = ProcessUsage()
    let pages = words("/proc/self/statm").dropFirst().first.flatMap { Int64($0) } ?? 0
    usage.residentBytes = pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    // One of them is the listing itself.
    usage.openDescriptors = Int64(max((try? Directory.names(in: "/proc/self/fd"))?.count ?? 1, 1) - 1)
    usage.startedAt = start ?? usage.startedAt
    return usage
  }

  private static let start: Timestamp? = {
    // The second field is the program's name in parentheses, with any characters; the start time is the 22nd field.
    let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
    let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
    guard fields.count > 19, let ticks = Int64(fields[19]),
      let seconds = boot.flatMap({ Int64($0.dropFirst("btime ".count)) })
    else { return nil }
    return Timestamp(milliseconds: seconds * 1000 + ticks * 1000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }()

  private static func text(_ path: String) -> String { String(decoding: SmallFile.bytes(path) ?? [], as: UTF8.self) }

  private static func words(_ path: String) -> [Substring] { text(path).split { $0 == " " || $0 == "\n" } }
}

/// A reader of small files as a whole: files of /proc and the status file of a consumer.
enum SmallFile {
  private static let limit = 4 << 20

  /// Returns the bytes of a file, at most about the first 4 MiB; nil if it cannot be read.
  static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
