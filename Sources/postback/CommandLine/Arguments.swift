internal import Base

/// The parsed words of a command line: operands and the values of options.
struct Arguments: Sendable {
  /// The words that are not options.
  let operands: [String]
  private let values: [String: [String]]

  /// Parses `--name value`, `--name=value`, `-n value`, `-nvalue` and `--flag`. All words after `--` are operands.
  init(_ words: ArraySlice<String>, for manual: Manual) throws {
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
      if option.placeholder == nil {
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

  /// Returns these arguments, with the values of options that they do not have, by name; a flag has an empty value. Without
  /// operands, `others` are taken.
  func completed(by further: [String: [String]], operands others: [String] = []) -> Arguments {
    Arguments(operands: operands.isEmpty ? others : operands, values: values.merging(further) { own, _ in own })
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

  /// Returns the operands; throws a failure with advice if there are none.
  func operands(orAdvise advice: String) throws -> [String] {
    if operands.isEmpty { throw CommandFailure(.usage, advice) }
    return operands
  }

  /// Returns the only operand, which is not empty; throws a failure with advice if there is another number of them.
  func operand(orAdvise advice: String) throws -> String {
    guard operands.count == 1, !operands[0].isEmpty else { throw CommandFailure(.usage, advice) }
    return operands[0]
  }

  private init(operands: [String], values: [String: [String]]) { (self.operands, self.values) = (operands, values) }

  /// Indicates that an option is given.
  func has(_ option: String) -> Bool { values[option] != nil }

  /// Returns all values of an option, in order. Commands read options by `read`.
  func all(_ option: String) -> [String] { values[option] ?? [] }
}
