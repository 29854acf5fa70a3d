internal import Base
internal import PostbackServer

/// The option `--config` of the commands that go on with the tables of a run.
struct ConfigurationOption: OptionGroup {
  /// The path of the configuration.
  let path = Option(
    "--config FILE",
    "The configuration (docs/configuration.md), which names the operands too. Options override it."
  ).value(.text)

  /// Returns the arguments of a command, with the options and the operands that the file of `--config` sets.
  static func complete(_ arguments: Arguments, of manual: Manual) throws -> Arguments {
    guard DerivedConfiguration.commands.contains(command(manual)), let path = try arguments.read(Self.self).path else {
      return arguments
    }
    return complete(arguments, of: manual, from: try read(path))
  }

  /// Returns the arguments of a command, with the options and the operands that a configuration sets: the folder of the
  /// tables, or the inputs of `run`.
  static func complete(
    _ arguments: Arguments,
    of manual: Manual,
    from configuration: ServerConfiguration
  ) -> Arguments {
    var operands = configuration.out.map { [$0] } ?? []
    if manual.name == "run" {
      operands = arguments.has("--from-rejects") ? [] : configuration.derived.inputs.map(\.path)
    }
    var values: [String: [String]] = [:]
    for option in manual.options where !(companions[option.name].map(arguments.has) ?? false) {
      values[option.name] = option.configuredValues(configuration)
    }
    return arguments.completed(by: values, operands: operands)
  }

  /// Returns the failure of a command. Where it is about a relative path that a configuration may have named, it says where such
  /// paths begin.
  static func explain(_ failure: CommandFailure, of arguments: Arguments) -> CommandFailure {
    guard failure.status == .noInput, !failure.message.hasPrefix("/"), let path = arguments.all("--config").last else {
      return failure
    }
    let hint = """
      Relative paths in \(path.withControlCharactersEscaped) begin in the working directory of the command, not in the folder \
      of the file.
      """
    return CommandFailure(failure.status, failure.message, details: failure.details + [hint])
  }

  /// The options that only make sense beside another one: they are left out where the command line has that one.
  private static let companions = ["--force": "--html", "--dsn-file": "--dsn", "--dsn": "--dsn-file"]

  /// The first word of a command's name, by which a configuration knows it.
  private static func command(_ manual: Manual) -> String {
    manual.name.split(separator: " ").first.map(String.init) ?? ""
  }

  /// Reads a configuration, and none of the secrets that it names.
  static func read(_ path: String) throws -> ServerConfiguration {
    try ServerConfiguration(reading: path, readsSecrets: false)
  }
}
