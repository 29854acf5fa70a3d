internal import Base
internal import DurableFiles
internal import Glibc

/// The resources that a process uses; a value is 0 if the system does not report it.
struct ProcessUsage: Equatable, Sendable {
  var residentBytes: Int64 = 0
  var openDescriptors: Int64 = 0
  /// The largest number of open files that the process may have.
  var maximumDescriptors: Int64 = 0
  /// The time of processors that the process used.
  var processorTime = Duration.zero
  var startedAt = Timestamp(milliseconds: 0)

  /// Returns the usage of this process now (proc(5)).
  static func now() -> ProcessUsage {
    var usage = ProcessUsage()
    let pages = words("/proc/self/statm").dropFirst().first.flatMap { Int64($0) } ?? 0
    usage.residentBytes = pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    // One of them is the listing itself.
    usage.openDescriptors = Int64(max((try? Directory.names(in: "/proc/self/fd"))?.count ?? 1, 1) - 1)
    usage.maximumDescriptors = maximumDescriptors
    usage.processorTime = processorTime
    usage.startedAt = start ?? usage.startedAt
    return usage
  }

  private static var maximumDescriptors: Int64 {
    var files = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return 0 }
    return Int64(clamping: files.rlim_cur)
  }

  private static var processorTime: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static let start = startTime(of: getpid())

  /// Returns the time at which a process started; nil if there is no such process.
  static func startTime(of process: Int32) -> Timestamp? {
    // The second field is the program's name in parentheses, with any characters; the start time is the 22nd field.
    let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
    guard fields.count > 19, let ticks = Int64(fields[19]),
      let seconds = boot.flatMap({ Int64($0.dropFirst("btime ".count)) })
    else { return nil }
    return Timestamp(milliseconds: seconds * 1000 + ticks * 1000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }

  private static func text(_ path: String) -> String {
    String(decoding: (try? WholeFile.read(path, upTo: 4 << 20)) ?? [], as: UTF8.self)
  }

  private static func words(_ path: String) -> [Substring] { text(path).split { $0 == " " || $0 == "\n" } }
}
