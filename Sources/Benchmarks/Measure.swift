/// One number of the report.
struct Measure {
  /// The rate of `openssl speed` that a measure is compared with.
  enum Reference: String {
    /// Verifications on one core.
    case oneCore = "openssl_one_core"
    /// Verifications on all cores.
    case allCores = "openssl_all_cores"
  }

  /// The unit of a measure.
  enum Unit: String {
    case perSecond = "per_second"
    case milliseconds
    case microseconds
    case nanoseconds
    case bytes
    case megabytes
    case percent
    case count

    /// The unit in a table.
    var symbol: String {
      switch self {
      case .perSecond: "/s"
      case .milliseconds: "ms"
      case .microseconds: "µs"
      case .nanoseconds: "ns"
      case .bytes: "bytes"
      case .megabytes: "MB"
      case .percent: "%"
      case .count: ""
      }
    }

    /// The number of decimals that are significant.
    var decimals: Int {
      switch self {
      case .perSecond, .nanoseconds, .count: 0
      case .percent, .bytes, .megabytes: 1
      case .milliseconds, .microseconds: 2
      }
    }

    /// The length of the time unit in seconds; nil for other units.
    var seconds: Double? {
      switch self {
      case .milliseconds: 1e-3
      case .microseconds: 1e-6
      case .nanoseconds: 1e-9
      case .perSecond, .bytes, .megabytes, .percent, .count: nil
      }
    }
  }

  /// The stable name, for programs.
  var id: String
  /// The title, for people.
  var title: String
  /// The number.
  var value: Double
  /// The unit of the number.
  var unit: Unit
  /// The rate of openssl to compare with; nil if a comparison makes no sense.
  var reference: Reference?
  /// The ratio to openssl: a rate divided by openssl's rate, or a time divided by the time of one of openssl's
  /// verifications.
  var ratio: Double?
  /// The peak memory of the process, in bytes.
  var peakMemory: Int?
  /// The time of all cores for one of the things that a rate counts, in microseconds.
  var processorTime: Double?
  /// A further remark, such as a version or the number of runs.
  var note: String?

  init(
    _ id: String,
    _ title: String,
    _ value: Double,
    _ unit: Unit,
    to reference: Reference? = nil,
    peakMemory: Int? = nil,
    note: String? = nil
  ) {
    (self.id, self.title, self.value, self.unit) = (id, title, value, unit)
    (self.reference, self.peakMemory, self.note) = (reference, peakMemory, note)
  }

  /// The rate at which the fastest of three runs works on `count` things.
  static func rate(_ id: String, _ title: String, _ count: Int, _ run: () throws -> ProcessRun) throws -> Measure {
    let runs = try (0..<3).map { _ in try run() }
    let best = runs.map(\.seconds).min() ?? 1
    return Measure(id, title, Double(count) / best, .perSecond, peakMemory: runs.compactMap(\.peakMemory).max())
  }

  /// Returns the measure with its ratio to `speed`; unchanged if it has no reference.
  func compared(with speed: OpenSSLSpeed) -> Measure {
    guard let reference else { return self }
    let rate = reference == .oneCore ? speed.oneCore : speed.allCores
    var measure = self
    measure.ratio = unit.seconds.map { value * $0 * rate } ?? value / rate
    return measure
  }
}
