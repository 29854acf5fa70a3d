internal import Glibc
internal import PostbackServer
internal import Synchronization

/// An option of a command, as its help, its page for `man` and the completions show it.
struct Option: Sendable {
  /// The long name, with its dashes.
  let name: String
  /// The placeholder for the value in the help; nil for a flag.
  let placeholder: String?
  /// The description of the option, in one line or a few.
  let help: String
  /// The name of one letter, with its dash, such as `-o`; nil if there is none.
  let short: String?
  /// The values that a configuration has for the option, an empty one for a flag; nil if it has none.
  private(set) var configuredValues: @Sendable (ServerConfiguration) -> [String]? = { _ in nil }

  /// Creates an option from its title in the help: `--json`, `--jobs N`, `-o, --out DIR`.
  init(_ title: String, _ help: String) {
    var words = title.split(separator: " ").map(String.init)
    let short = words.first.flatMap { $0.hasSuffix(",") ? String($0.dropLast()) : nil }
    if short != nil { words.removeFirst() }
    (name, placeholder, self.help, self.short) = (words.first ?? title, words.dropFirst().first, help, short)
  }

  /// The title in the help, with room for a short name if there is none.
  var title: String {
    [short.map { "\($0), \(name)" } ?? "    \(name)", placeholder].compactMap(\.self).joined(separator: " ")
  }
}

/// A group of options: a structure whose properties have the values of options.
///
///     struct LookupOptions: OptionGroup {
///       let folder = Option("--lookups DIR", "The folder of the lookup tables.").value(.folder)
///       let allowsOverlap = Option("--allow-overlap", "Accept rows of campaigns.csv that contradict each other.").isGiven
///     }
///
/// `Arguments.read` makes it with the values of a command line. `options` has the same options in the same order. A group may
/// be a property of another one, and stands in its place there.
protocol OptionGroup: Sendable {
  init()
}

extension OptionGroup {
  /// The options of the group, in the order of its properties.
  static var options: [Option] { OptionReader(nil).make(Self.self).options }
}

extension Arguments {
  /// Returns a group with the values of these arguments; throws a failure about the first value that is wrong.
  func read<Group: OptionGroup>(_ group: Group.Type = Group.self) throws -> Group {
    let reader = OptionReader(self)
    let (values, _, failure) = reader.make(group)
    if let failure { throw failure }
    return values
  }
}

// MARK: - Values of a configuration

/// A setting of a configuration that stands for the values of an option.
protocol ConfiguredSetting: SendableMetatype {
  /// The values of the option, an empty one for a flag; nil if the setting is absent.
  var optionValues: [String]? { get }
}

extension Bool: ConfiguredSetting {
  var optionValues: [String]? { self ? [""] : nil }
}

extension [String]: ConfiguredSetting {
  var optionValues: [String]? { isEmpty ? nil : self }
}

extension Optional: ConfiguredSetting where Wrapped: LosslessStringConvertible {
  var optionValues: [String]? { map { [$0.description] } }
}

extension Option {
  /// Returns the option with a setting of the configuration, which is its value where it is not given.
  func configured(_ setting: @escaping @Sendable (ServerConfiguration) -> some ConfiguredSetting) -> Option {
    var option = self
    option.configuredValues = { setting($0).optionValues }
    return option
  }
}

// MARK: - The properties of a group

extension Option {
  /// Indicates that the option is given.
  var isGiven: Bool { OptionReader.value(of: self, else: false) { _ in true } }

  /// The value of the option, the last one if it is repeated; nil if it is absent.
  func value<Value: Sendable>(_ kind: ValueKind<Value>) -> Value? {
    OptionReader.value(of: self, else: nil) { texts in try texts.last.map { try kind.read($0, name) } }
  }

  /// The value of the option, the last one if it is repeated.
  func value<Value: Sendable>(_ kind: ValueKind<Value>, else absent: Value) -> Value { value(kind) ?? absent }

  /// The value of the option, as `parse` reads it; `expected` describes the texts for which it returns a value.
  func value<Value: Sendable>(_ expected: String, _ parse: @escaping @Sendable (String) -> Value?) -> Value? {
    value(ValueKind(expected, parse))
  }

  /// The value of the option, as `parse` reads it.
  func value<Value: Sendable>(
    _ expected: String,
    else absent: Value,
    _ parse: @escaping @Sendable (String) -> Value?
  ) -> Value {
    value(ValueKind(expected, parse)) ?? absent
  }

  /// The values of an option that may be repeated, in order.
  func values<Value: Sendable>(_ kind: ValueKind<Value>) -> [Value] {
    OptionReader.value(of: self, else: []) { texts in try texts.map { try kind.read($0, name) } }
  }

  /// The values of an option that may be repeated, in order, as `parse` reads them.
  func values<Value: Sendable>(_ expected: String, _ parse: @escaping @Sendable (String) -> Value?) -> [Value] {
    values(ValueKind(expected, parse))
  }

  /// The value of `--json`.
  static func json(_ help: String = "Print JSON.") -> Bool { Option("--json", help).isGiven }

  /// The value of `--jobs`, by default `cores`.
  static func jobs(_ help: String = "Read N batches at once; default the number of cores.") -> Int {
    Option("--jobs N", help).value(.integer(in: 1...1024), else: cores)
  }

  /// The number of processor cores.
  static var cores: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }
}

/// The command line from which the properties of a group take their values.
private final class OptionReader: Sendable {
  /// The reader of the group that is being made.
  @TaskLocal static var current: OptionReader?

  private let arguments: Arguments?
  private let found = Mutex<(options: [Option], failure: (any Error)?)>(([], nil))

  /// Creates a reader of arguments; without any all options are absent.
  init(_ arguments: Arguments?) { self.arguments = arguments }

  /// Makes a group, whose properties this reader notes and reads.
  func make<Group: OptionGroup>(_ group: Group.Type) -> (Group, options: [Option], failure: (any Error)?) {
    let values = Self.$current.withValue(self) { Group() }
    return found.withLock { (values, $0.options, $0.failure) }
  }

  /// Returns the value of an option that `parse` reads; `absent` if it is not given, or not valid.
  static func value<Value: Sendable>(
    of option: Option,
    else absent: Value,
    _ parse: ([String]) throws -> Value
  ) -> Value {
    guard let current else { return absent }
    current.found.withLock { $0.options.append(option) }
    guard let arguments = current.arguments, arguments.has(option.name) else { return absent }
    do { return try parse(arguments.all(option.name)) } catch {
      current.found.withLock { $0.failure = $0.failure ?? error }
      return absent
    }
  }
}
