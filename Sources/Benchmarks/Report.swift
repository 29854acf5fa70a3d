internal import DurableFiles
internal import Glibc
internal import JSON
internal import Signatures

/// The report of all measures, for people and for programs.
struct Report {
  /// A group of measures that were taken together, with the speed of openssl before and after.
  struct Section {
    var title: String
    var measures: [Measure]
    var speed: OpenSSLSpeed?
  }

  var facts: [(name: String, value: String)]
  var sections: [Section] = []
  /// The measures that were left out, each with the reason.
  var skipped: [String] = []

  /// Returns the processor time that was measured beside a rate; nil if it was not.
  func processorTime(of id: String) -> Double? { sections.flatMap(\.measures).first { $0.id == id }?.processorTime }

  /// The report as a table.
  var text: String {
    let width = sections.flatMap(\.measures).map(\.title.count).max() ?? 0
    var lines = facts.map { $0.name.padded(to: 10) + $0.value }
    lines += ["", "MEASURE".padded(to: width) + "         VALUE       ÷ OPENSSL            PEAK RSS"]
    for section in sections {
      lines += ["", section.title]
      if let speed = section.speed {
        lines.append(
          "(openssl speed, mean of before and after: \(speed.oneCore.text(0))/s on one core, "
            + "\(speed.allCores.text(0))/s on all)"
        )
      }
      lines += section.measures.map { row($0, width) }
    }
    lines += [""] + skipped.map { "skipped: \($0)" }
    lines += [
      "÷ openssl: a rate divided by the verifications of openssl speed ecdsap256, a time divided by that of one of them.",
      "As the machine may be noisy, openssl is run before and after each group of measures, and the mean of both is taken.",
    ]
    return lines.joined(separator: "\n")
  }

  private func row(_ measure: Measure, _ width: Int) -> String {
    var row = measure.title.padded(to: width)
    row += measure.value.text(measure.unit.decimals).padded(to: 12, atEnd: false) + " "
    row += measure.unit.symbol.padded(to: 6)
    if let ratio = measure.ratio {
      row += ratio.text(ratio < 0.1 ? 4 : 2).padded(to: 9, atEnd: false)
      row += measure.reference == .allCores ? " (all cores)" : " (one core) "
    } else {
      row += "".padded(to: 21)
    }
    row +=
      measure.peakMemory.map { "\((Double($0) / 1e6).text(1)) MB".padded(to: 12, atEnd: false) } ?? "".padded(to: 12)
    return (row + (measure.note.map { "  \($0)" } ?? "")).trimmed
  }

  /// The report as one JSON object on one line.
  var json: [UInt8] {
    let json = JSONValue.object([
      .init("machine", .object(facts.map { .init($0.name, .string($0.value)) })),
      .init("sections", .array(sections.map(\.json))),
      .init("skipped", .texts(skipped)),
    ])
    return Array("\(json)\n".utf8)
  }
}

extension Report.Section {
  fileprivate var json: JSONValue {
    .object([
      .init("title", .string(title)),
      .init("openssl_one_core", .exact(speed?.oneCore)),
      .init("openssl_all_cores", .exact(speed?.allCores)),
      .init("openssl_drift", .exact(speed?.drift)),
      .init("measures", .array(measures.map(\.json))),
    ])
  }
}

extension Measure {
  fileprivate var json: JSONValue {
    .object([
      .init("id", .string(id)),
      .init("value", .exact(value)),
      .init("unit", .string(unit.rawValue)),
      .init("ratio", .exact(ratio)),
      .init("ratio_to", .text(ratio == nil ? nil : reference?.rawValue)),
      .init("peak_rss_bytes", .integer(peakMemory)),
      .init("note", .text(note)),
    ])
  }
}

extension JSONValue {
  /// Returns a number with all its digits; null if it is nil.
  fileprivate static func exact(_ number: Double?) -> JSONValue { .optional(number.map { .number("\($0)") }) }
}

extension Double {
  /// Returns the number with `decimals` decimals.
  func text(_ decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((self * Double(scale)).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let fraction = String(scaled.magnitude % UInt(scale))
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(scale)).\(zeros)\(fraction)"
  }
}

extension String {
  func padded(to width: Int, atEnd: Bool = true) -> String {
    let spaces = String(repeating: " ", count: Swift.max(width - count, 0))
    return atEnd ? self + spaces : spaces + self
  }

  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}

/// The machine, the system and the tools of the measurement.
enum Machine {
  /// The processor time of this process in nanoseconds.
  static var processorTime: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Returns an amount of memory of this process in bytes, by its name in proc(5) `status`.
  static func memory(_ name: String) throws -> Int {
    let line = try WholeFile.text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix("\(name):") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
      throw BenchmarkFailure("/proc/self/status has no \(name)")
    }
    return kilobytes * 1024
  }

  /// The number of cores that are online.
  static var cores: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

  /// The facts that a reader needs to compare reports, each with its name.
  static var facts: [(name: String, value: String)] {
    [
      ("cores", "\(cores)"),
      ("cpu", field("model name", of: "/proc/cpuinfo", separator: ":") ?? "unknown"),
      ("os", field("PRETTY_NAME", of: "/etc/os-release", separator: "=") ?? "unknown"),
      ("libcrypto", Libcrypto.version),
      ("openssl", firstLine(of: ["openssl", "version"]) ?? "not installed"),
      ("swift", firstLine(of: ["swift", "--version"]) ?? "not installed"),
    ]
  }

  private static func firstLine(of command: [String]) -> String? {
    guard ProcessRun.isInstalled(command[0]), let run = try? ProcessRun(command) else { return nil }
    return run.output.split(separator: "\n").first.map(String.init)
  }

  private static func field(_ name: String, of path: String, separator: Character) -> String? {
    guard let text = try? WholeFile.text(of: path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      guard let value = line.split(separator: separator, maxSplits: 1).dropFirst().first else { continue }
      return value.split(separator: " ").joined(separator: " ").filter { $0 != "\"" }
    }
    return nil
  }
}
