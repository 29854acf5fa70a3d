internal import Glibc

/// The words of a command line, read by the options that a command takes.
struct Arguments: Sendable {
  /// The words that are no options.
  let operands: [String]
  private let values: [String: [String]]

  /// Reads `--name value`, `--name=value` and `--flag`; what follows `--` are operands.
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
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = manual.options.first(where: { $0.name == parts[0] }) else {
        throw Self.usage("there is no option \(parts[0])", manual)
      }
      if option.value == nil {
        guard parts.count == 1 else { throw Self.usage("\(option.name) takes no value", manual) }
        values[option.name, default: []].append("")
      } else {
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
          throw Self.usage("\(option.name) needs a value", manual)
        }
        values[option.name, default: []].append(value)
      }
    }
    self.operands = operands
    self.values = values
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

  /// The value of `--jobs`; as many as there are cores unless given.
  func jobs() throws(CommandFailure) -> Int {
    try integer("--jobs", in: 1...1024) ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
  }

  private static func usage(_ problem: String, _ manual: Manual) -> CommandFailure {
    CommandFailure(.usage, "\(problem); see postback \(manual.name) --help")
  }
}
