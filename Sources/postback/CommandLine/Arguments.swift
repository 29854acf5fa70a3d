internal import Analysis
internal import Base
internal import ConversionModel
internal import Glibc

/// The words of a command line, read by the options that a command takes.
struct Arguments: Sendable {
  /// The words that are no options.
  let operands: [String]
  private let values: [String: [String]]

  /// Reads `--name value`, `--name=value`, `-n value`, `-nvalue` and `--flag`; what follows `--` are operands.
  init(_ words: ArraySlice<String>, for manual: Manual) throws(CommandFailure) {
    var operands: [String] = []
    var values: [String: [String]] = [:]
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (name, attached) = Self.parts(of: word)
      guard let option = manual.option(name) else {
        // In `-json` the whole word is a name.
        throw Self.unknown(word.hasPrefix("--") ? name : word, manual)
      }
      if option.value == nil {
        guard attached == nil else { throw Self.usage("\(name) takes no value", manual) }
        values[option.name, default: []].append("")
      } else {
        guard let value = attached ?? rest.popFirst() else { throw Self.usage("\(name) needs a value", manual) }
        if attached == nil, value.hasPrefix("--"), manual.option(Self.parts(of: value).name) != nil {
          throw Self.usage(
            "\(name) needs a value, and \(value) is an option (a value like that: \(name)=\(value))",
            manual
          )
        }
        values[option.name, default: []].append(value)
      }
    }
    self.operands = operands
    self.values = values
  }

  /// An option's name, and the value that stands in the same word.
  private static func parts(of word: String) -> (name: String, value: String?) {
    guard word.hasPrefix("--") else {
      let value = word.dropFirst(2)
      return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  private static func unknown(_ name: String, _ manual: Manual) -> CommandFailure {
    let nearest = name.nearest(among: manual.allOptions.map(\.name))
    return usage("there is no option \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""), manual)
  }

  private static func usage(_ problem: String, _ manual: Manual) -> CommandFailure {
    let end = problem.hasSuffix("?") ? " See" : "; see"
    return CommandFailure(.usage, "\(problem)\(end) postback \(manual.name) --help")
  }

  /// Whether the flag is there.
  func has(_ flag: String) -> Bool { values[flag] != nil }

  /// All values of an option that may be repeated.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// The value of an option; the last one counts.
  func value(_ option: String) -> String? { values[option]?.last }

  /// The value of an option, read by `parse`; nil where the option is not there.
  func value<Value>(
    _ option: String,
    _ expected: String,
    _ parse: (String) -> Value?
  ) throws(CommandFailure) -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = parse(text) else {
      throw CommandFailure(.usage, "\(option) is \(text); expected \(expected)")
    }
    return value
  }

  /// The value of an option that is an integer.
  func integer(_ option: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    try value(option, "an integer from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The value of an option that is a time, or a date, which is its first moment in UTC.
  func time(_ option: String) throws(CommandFailure) -> Timestamp? {
    try value(option, "a date or a time, such as 2026-03-10 or 2026-03-10T00:00:00Z") { Timestamp(dateOrTime: $0) }
  }

  /// The value of `--jobs`; as many as there are cores unless given.
  func jobs() throws(CommandFailure) -> Int {
    try integer("--jobs", in: 1...1024) ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
  }
}
