internal import Base
internal import ConversionModel
internal import Glibc

/// The parsed words of a command line: operands and the values of options.
struct Arguments: Sendable {
  /// The words that are not options.
  let operands: [String]
  private let values: [String: [String]]

  /// Parses `--name value`, `--name=value`, `-n value`, `-nvalue` and `--flag`. All words after `--` are operands.
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
        // A word such as `-json` is shown whole, not as `-j`.
        throw Self.unknown(word.hasPrefix("--") ? name : word, manual)
      }
      if option.value == nil {
        guard attached == nil else { throw Self.usage("The option \(name) takes no value.", manual) }
        values[option.name, default: []].append("")
      } else {
        guard let value = attached ?? rest.popFirst() else {
          throw Self.usage("The option \(name) needs a value.", manual)
        }
        if attached == nil, value.hasPrefix("--"), manual.option(Self.parts(of: value).name) != nil {
          throw Self.usage(
            "The option \(name) needs a value, but \(value) is an option. If it is the value, write \(name)=\(value).",
            manual
          )
        }
        values[option.name, default: []].append(value)
      }
    }
    self.operands = operands
    self.values = values
  }

  /// Returns the arguments with the values of further options, by name; a flag has an empty value.
  func adding(_ further: [String: [String]]) -> Arguments {
    Arguments(operands: operands, values: values.merging(further) { own, _ in own })
  }

  /// The options with their values, sorted by name, without some of them.
  func text(without left: Set<String>) -> String {
    values.filter { !left.contains($0.key) }.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.joined(separator: " "))" }.joined(separator: " ")
  }

  /// Splits a word into an option's name and the value in the same word, which is nil if there is none.
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
    return usage("There is no option \(name)." + (nearest.map { " Did you mean \($0)?" } ?? ""), manual)
  }

  private static func usage(_ problem: String, _ manual: Manual) -> CommandFailure {
    CommandFailure(.usage, "\(problem) See postback \(manual.name) --help.")
  }

  private init(operands: [String], values: [String: [String]]) { (self.operands, self.values) = (operands, values) }

  /// Returns these arguments, with the options of a configuration that they do not have. An option of the configuration
  /// is left out too if the arguments have the one whose companion it is. Without operands, those of the configuration
  /// are taken.
  func completed(
    by options: [(name: String, values: [String])],
    companions: [String: String] = [:],
    operands configured: [String] = []
  ) -> Arguments {
    var values = values
    for option in options where !has(option.name) && !(companions[option.name].map(has) ?? false) {
      values[option.name] = option.values.isEmpty ? [""] : option.values
    }
    return Arguments(operands: operands.isEmpty ? configured : operands, values: values)
  }

  /// Indicates that a flag is given.
  func has(_ flag: String) -> Bool { values[flag] != nil }

  /// Returns all values of an option that may be repeated, in order.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// Returns the value of an option, the last one if it is repeated; nil if it is absent.
  func value(_ option: String) -> String? { values[option]?.last }

  /// Returns the value of an option as `parse` reads it; nil if the option is absent. Throws if `parse` returns nil;
  /// `expected` describes a valid value.
  func value<Value>(
    _ option: String,
    _ expected: String,
    _ parse: (String) -> Value?
  ) throws(CommandFailure) -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = parse(text) else {
      throw CommandFailure(.usage, "The value of \(option) is \(text). It must be \(expected).")
    }
    return value
  }

  /// Returns the value of an integer option; nil if it is absent. Throws if it is not in `range`.
  func integer(_ option: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    try value(option, "an integer from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Returns the value of a time option; nil if it is absent. A date means the start of its day in UTC.
  func time(_ option: String) throws(CommandFailure) -> Timestamp? {
    try value(option, "a date or a time, such as 2026-03-10 or 2026-03-10T00:00:00Z") { Timestamp(dateOrTime: $0) }
  }

  /// Returns the value of `--jobs`, by default the number of processor cores.
  func jobs() throws(CommandFailure) -> Int {
    try integer("--jobs", in: 1...1024) ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
  }
}
