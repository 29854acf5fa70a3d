/// Metrics as text: Prometheus' exposition format, version 0.0.4.
struct Exposition {
  /// What a family of samples is.
  enum Kind: String {
    case counter, gauge, histogram
  }

  /// Names and values that tell the samples of a family from each other.
  typealias Labels = KeyValuePairs<String, String>

  /// The text so far; each line ends with a line feed.
  private(set) var text = ""
  private var family = ""

  /// Begins a family of samples.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    family = name
    let help = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// A sample of the family.
  mutating func add(_ value: Int64, _ labels: Labels = [:]) { add("", labels, "\(value)") }

  /// A sample of the family.
  mutating func add(_ value: Double, _ labels: Labels = [:]) { add("", labels, Self.text(of: value)) }

  /// The samples of a family that is a histogram.
  mutating func add(_ histogram: Histogram) {
    var count: Int64 = 0
    for (bound, more) in zip(histogram.bounds, histogram.counts) {
      count += more
      add("_bucket", ["le": Self.text(of: bound)], "\(count)")
    }
    add("_bucket", ["le": "+Inf"], "\(histogram.count)")
    add("_sum", [:], Self.text(of: histogram.sum))
    add("_count", [:], "\(histogram.count)")
  }

  private mutating func add(_ suffix: String, _ labels: Labels, _ value: String) {
    let labels = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    text += "\(family)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static func text(of value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
