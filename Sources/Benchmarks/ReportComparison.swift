internal import DurableFiles
internal import JSON

/// The figures of reports on one program beside those of reports on another, or on another version.
///
/// A figure is a ratio to `openssl speed` where both have one, so that reports of different hours can be compared, and a value
/// otherwise. The noise of a figure is the largest of half the spread of the reports of either side, of the drift of openssl while it
/// was measured, of the largest change of a program that is not ours, which only the machine explains, and of 5 %.
struct ReportComparison {
  /// A figure of both sides.
  struct Figure {
    let id: String
    let before, after: Double
    /// Indicates that another program was measured.
    var isOther: Bool { ["wc", "jq", "python", "single", "duckdb"].contains { id.hasSuffix(".\($0)") } }
    /// The change of the figure, of the value before; positive if it became better.
    let gain: Double
    fileprivate(set) var noise: Double

    var verdict: String { isOther ? "other program" : gain.magnitude <= noise ? "same" : gain > 0 ? "better" : "worse" }
  }

  /// The figures, in the order of the first report.
  let figures: [Figure]
  /// The reasons for which the comparison is doubtful, as sentences.
  let warnings: [String]

  /// Indicates that a figure became worse by more than the noise.
  var isWorse: Bool { figures.contains { $0.verdict == "worse" } }

  private static let leastNoise = 0.05

  private struct Values {
    var values: [Double] = []
    var ratios: [Double] = []
    var drift = 0.0
    var unit = ""
  }

  /// Reads reports that `--json` has written. Throws if a file is none, or if the sides have no figure in common.
  init(before: [String], after: [String]) throws(BenchmarkFailure) {
    var machines: Set<String> = []
    let (first, order) = try Self.read(before, &machines)
    let (second, _) = try Self.read(after, &machines)
    var figures = order.compactMap { id -> Figure? in
      guard let one = first[id], let other = second[id] else { return nil }
      let hasRatios = one.ratios.count == one.values.count && other.ratios.count == other.values.count
      let (before, after) = (hasRatios ? one.ratios : one.values, hasRatios ? other.ratios : other.values)
      let (from, to) = (Self.median(before), Self.median(after))
      guard from > 0, let unit = Measure.Unit(rawValue: one.unit), let isRate = unit.isBetterIfMore else { return nil }
      let noise = [Self.spread(before), Self.spread(after), one.drift, other.drift, Self.leastNoise].max() ?? 0
      let change = to / from - 1
      return Figure(id: id, before: from, after: to, gain: isRate ? change : -change, noise: noise)
    }
    let others = figures.filter(\.isOther).map(\.gain.magnitude).max() ?? 0
    for place in figures.indices { figures[place].noise = max(figures[place].noise, others) }
    self.figures = figures
    guard !figures.isEmpty else { throw BenchmarkFailure("the reports have no figure in common") }
    warnings =
      machines.count > 1
      ? ["the reports are of different processors: \(machines.sorted().joined(separator: "; "))"] : []
  }

  private static func read(
    _ files: [String],
    _ machines: inout Set<String>
  ) throws(BenchmarkFailure) -> (values: [String: Values], order: [String]) {
    var (found, order) = ([String: Values](), [String]())
    for file in files {
      guard let report = try? JSONValue(parsing: try WholeFile.read(file, upTo: 1 << 30)),
        let sections = report["sections"]?.elements
      else { throw BenchmarkFailure("\(file) is no report; write one with --json") }
      if let cpu = report["machine"]?["cpu"]?.text { machines.insert(cpu) }
      for section in sections {
        for measure in section["measures"]?.elements ?? [] {
          guard let id = measure["id"]?.text, let value = measure["value"]?.decimal else { continue }
          if found[id] == nil { order.append(id) }
          var values = found[id] ?? Values()
          values.values.append(value)
          if let ratio = measure["ratio"]?.decimal { values.ratios.append(ratio) }
          values.drift = max(values.drift, section["openssl_drift"]?.decimal ?? 0)
          values.unit = measure["unit"]?.text ?? ""
          found[id] = values
        }
      }
    }
    return (found, order)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Half the distance of the largest from the smallest value, of the median.
  private static func spread(_ values: [Double]) -> Double {
    ((values.max() ?? 0) - (values.min() ?? 0)) / 2 / median(values)
  }

  /// The figures as a table.
  var text: String {
    let width = figures.map(\.id.count).max() ?? 0
    var lines = warnings.map { "warning: \($0)" }
    let heads = ["BEFORE", "AFTER", "GAIN", "NOISE"].map { $0.padded(to: 12, atEnd: false) }.joined()
    lines.append("FIGURE".padded(to: width) + heads)
    for figure in figures {
      let numbers = [figure.before.text(3), figure.after.text(3), percent(figure.gain), "±" + percent(figure.noise)]
      let columns = numbers.map { $0.padded(to: 12, atEnd: false) }.joined()
      lines.append("\(figure.id.padded(to: width))\(columns)  \(figure.verdict)")
    }
    return lines.joined(separator: "\n")
  }

  private func percent(_ share: Double) -> String { "\((100 * share).text(1)) %" }
}

extension Measure.Unit {
  /// Indicates that more of the unit is better; nil where neither is.
  fileprivate var isBetterIfMore: Bool? {
    switch self {
    case .perSecond: true
    case .milliseconds, .microseconds, .nanoseconds, .bytes, .megabytes: false
    case .percent, .count: nil
    }
  }
}
