internal import PostbackServer

/// The option `--config` of the commands that go on with the tables of a run.
enum ConfigurationOption {
  static let option = Option(
    "--config",
    "FILE",
    "The configuration (docs/configuration.md), which names the operands too. Options override it."
  )

  /// Returns the arguments of a command, with the options and the operands that the file of `--config` sets.
  static func complete(_ arguments: Arguments, of manual: Manual) throws(CommandFailure) -> Arguments {
    guard DerivedConfiguration.commands.contains(command(manual)), let path = arguments.value(option.name) else {
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
    let command = command(manual)
    var options = configuration.derived.options(of: command)
    var operands = configuration.out.map { [$0] } ?? []
    if command == "run" {
      if !operands.isEmpty { options.append((name: "--out", values: operands)) }
      operands = arguments.has("--from-rejects") ? [] : configuration.derived.inputs.map(\.path)
    }
    return arguments.completed(
      by: options.filter { manual.option($0.name) != nil },
      companions: DerivedConfiguration.companions,
      operands: operands
    )
  }

  /// The first word of a command's name, by which a configuration knows it.
  private static func command(_ manual: Manual) -> String {
    manual.name.split(separator: " ").first.map(String.init) ?? ""
  }

  /// Reads a configuration, and none of the secrets that it names.
  static func read(_ path: String) throws(CommandFailure) -> ServerConfiguration {
    do throws(ConfigurationErrors) { return try ServerConfiguration(reading: path, readsSecrets: false) } catch {
      throw CommandFailure(.configuration, lines: error)
    }
  }
}
