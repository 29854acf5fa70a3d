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

  private static func text(_ path: String) -> String {
    String(decoding: (try? WholeFile.read(path, upTo: 4 << 20)) ?? [], as: UTF8.self)
  }

  private static func words(_ path: String) -> [Substring] { text(path).split { $0 == " " || $0 == "\n" } }
}
