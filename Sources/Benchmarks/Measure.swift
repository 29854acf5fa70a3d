/// One number of the report.
struct Measure {
  /// What `openssl speed` measured, for a ratio.
  enum Reference: String {
    /// Verifications on one core.
    case oneCore = "openssl_one_core"
    /// Verifications on all cores.
    case allCores = "openssl_all_cores"
  }

  /// What the number counts.
  enum Unit: String {
    case perSecond = "per_second"
    case milliseconds
    case microseconds
    case nanoseconds
    case bytes
    case percent

    /// The unit in a table.
    var symbol: String {
      switch self {
      case .perSecond: "/s"
      case .milliseconds: "ms"
      case .microseconds: "µs"
      case .nanoseconds: "ns"
      case .bytes: "bytes"
      case .percent: "%"
      }
    }

    /// How many digits behind the point tell something.
    var decimals: Int {
      switch self {
      case .perSecond, .nanoseconds: 0
      case .percent, .bytes: 1
      case .milliseconds, .microseconds: 2
      }
    }

    /// A time's length in seconds; nil for what is no time.
    var seconds: Double? {
      switch self {
      case .milliseconds: 1e-3
      case .microseconds: 1e-6
      case .nanoseconds: 1e-9
      case .perSecond, .bytes, .percent: nil
      }
    }
  }

  /// The name for programs.
  var id: String
  /// The name for people.
  var title: String
  /// The number.
  var value: Double
  /// What it counts.
  var unit: Unit
  /// What it is compared with, if that makes sense.
  var reference: Reference?
  /// A rate divided by that of openssl; a time divided by that of one of openssl's verifications.
  var ratio: Double?
  /// The most memory that the process had, in bytes.
  var peakMemory: Int?
  /// What else there is to know.
  var note: String?

  init(_ id: String, _ title: String, _ value: Double, _ unit: Unit, to reference: Reference? = nil) {
    self.id = id
    self.title = title
    self.value = value
    self.unit = unit
    self.reference = reference
  }

  /// The same with its ratio to `speed`.
  func compared(with speed: OpenSSLSpeed) -> Measure {
    guard let reference else { return self }
    let rate = reference == .oneCore ? speed.oneCore : speed.allCores
    var measure = self
    measure.ratio = unit.seconds.map { value * $0 * rate } ?? value / rate
    return measure
  }
}
