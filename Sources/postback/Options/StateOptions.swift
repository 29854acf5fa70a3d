internal import Ledger
internal import PostbackServer

/// The options of the commands that inspect or change the state of earlier runs.
enum StateOptions {
  static let state = Option("--state DIR", "The folder with the state; default _state in OUT.").configured { $0.state }
  /// The option that names the folder of the tables in place of the operand.
  static let output = Option("-o, --out DIR", "The folder with the tables.")

  /// Returns the folder of the tables: the operand, or the value of `--out`; nil if neither is given.
  private static func output(_ arguments: Arguments, _ named: [String]) throws -> String? {
    let outputs = arguments.operands + named
    guard outputs.count < 2 else {
      throw CommandFailure(.usage, "More than one folder of tables is given. Give OUT once, without \(outputs[1]).")
    }
    guard outputs.first != "" else {
      throw CommandFailure(.usage, "OUT is an empty text. Give the folder with the tables.")
    }
    return outputs.first
  }

  /// Returns the folder of the tables. The refusal of a call that gives none ends with `advice`.
  static func output(
    _ arguments: Arguments,
    _ named: [String] = [],
    orAdvise advice: String
  ) throws -> String {
    guard let output = try output(arguments, named) else {
      throw CommandFailure(.usage, "No folder of tables is given. \(advice)")
    }
    return output
  }

  /// Returns the folder of the state, from `--state` or from the operand; throws if both or neither are given.
  static func folder(_ arguments: Arguments, _ state: String?) throws -> String {
    let output = try output(arguments, [])
    if let output, state != nil {
      throw CommandFailure(.usage, "OUT and --state exclude each other. Give --state without \(output).")
    }
    return try folder(state, of: output)
  }

  /// Returns the folder of the state: `--state`, or `_state` in the folder of the tables.
  static func folder(_ state: String?, of output: String?) throws -> String {
    guard let folder = state ?? output.map(StateFolder.path), !folder.isEmpty else {
      throw CommandFailure(
        .usage,
        "No state is given. Give OUT, the folder with the tables, or --state, the folder with the state."
      )
    }
    return folder
  }
}
