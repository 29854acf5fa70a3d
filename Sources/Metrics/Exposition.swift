/// A text of metrics in Prometheus' exposition format, version 0.0.4.
package struct Exposition {
  /// The type of a family of samples.
  package enum Kind: String {
    case counter, gauge, histogram
  }

  /// Names and values that distinguish the samples of a family.
  package typealias Labels = KeyValuePairs<String, String>

  /// The text so far; each line ends with a line feed.
  package private(set) var text = ""
  private var family = ""

  /// Creates a text without metrics.
  package init() {}

  /// Begins a family of samples.
  package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    family = name
    let help = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a sample to the current family.
  package mutating func add(_ value: Int64, _ labels: Labels = [:]) { add("", labels, "\(value)") }

  /// Adds a sample to the current family.
  package mutating func add(_ value: Double, _ labels: Labels = [:]) { add("", labels, Self.text(of: value)) }

  /// Adds the samples of a histogram to the current family: buckets, sum and count.
  package mutating func add(_ histogram: Histogram, _ labels: Labels = [:]) {
    var count: Int64 = 0
    for (bound, more) in zip(histogram.bounds, histogram.counts) {
      count += more
      add("_bucket", labels, "\(count)", bound: Self.text(of: bound))
    }
    add("_bucket", labels, "\(histogram.count)", bound: "+Inf")
    add("_sum", labels, Self.text(of: histogram.sum))
    add("_count", labels, "\(histogram.count)")
  }

  private mutating func add(_ suffix: String, _ labels: Labels, _ value: String, bound: String? = nil) {
    let labels = (labels.map { ($0.key, $0.value) } + (bound.map { [("le", $0)] } ?? []))
      .map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
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
