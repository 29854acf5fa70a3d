/// A parsed text in Prometheus' exposition format 0.0.4.
package struct PrometheusText {
  /// The error of a text that breaks the format.
  package struct Malformed: Error {
    package let line: String
  }

  /// The values by the names of the samples, with their labels.
  package private(set) var samples: [String: Double] = [:]
  /// The number of samples, repeated ones included.
  package private(set) var sampleCount = 0
  /// The labels of each sample.
  package private(set) var labels: [[String: String]] = []
  /// The kinds of the families: counter, gauge or histogram.
  package private(set) var kinds: [String: String] = [:]
  /// The help texts of the families.
  package private(set) var helps: [String: String] = [:]

  /// Reads a text; throws if it breaks the format.
  package init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Malformed(line: text) }
    let sample = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)*)\})? (\S+)/
    var family = ""
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if words.starts(with: ["#", "HELP"]) {
        family = words[2]
        guard helps.updateValue(words[3], forKey: family) == nil else { throw Malformed(line: "\(line)") }
      } else if words.starts(with: ["#", "TYPE"]) {
        guard words[2] == family else { throw Malformed(line: "\(line)") }
        kinds[family] = words[3]
      } else {
        let suffixes = kinds[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard let match = try sample.wholeMatch(in: line), suffixes.contains(where: { family + $0 == match.1 }),
          let value = Double(String(match.3))
        else { throw Malformed(line: "\(line)") }
        samples[match.1 + (match.2.map { "{\($0)}" } ?? "")] = value
        sampleCount += 1
        labels.append(Self.labels(match.2 ?? ""))
      }
    }
  }

  private static func labels(_ text: Substring) -> [String: String] {
    var labels: [String: String] = [:]
    for match in text.matches(of: /([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/) {
      var value = ""
      var isEscaped = false
      for character in match.2 {
        if isEscaped {
          value.append(character == "n" ? "\n" : character)
        } else if character != "\\" {
          value.append(character)
        }
        isEscaped = !isEscaped && character == "\\"
      }
      labels[String(match.1)] = value
    }
    return labels
  }
}
