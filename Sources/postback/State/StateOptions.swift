internal import PostbackPipeline

/// The options of the commands that inspect or compact the state of earlier runs.
enum StateOptions {
  static let folder = Option("--state", "DIR", "The folder with the state; _state in OUT unless given.")

  /// Returns the folder of the tables: the operand, or the value of `--out`; nil if neither is given.
  static func output(_ arguments: Arguments) throws(CommandFailure) -> String? {
    let outputs = arguments.operands + arguments.all("--out")
    guard outputs.count < 2 else { throw CommandFailure(.usage, "give OUT once, and not \(outputs[1]) too") }
    guard outputs.first != "" else { throw CommandFailure(.usage, "OUT is empty; give the folder with the tables") }
    return outputs.first
  }

  /// Returns the folder of the state, from `--state` or from the folder of the tables; throws if both or neither are
  /// given.
  static func folder(_ arguments: Arguments) throws(CommandFailure) -> String {
    let output = try output(arguments)
    if let output, arguments.has(folder.name) {
      throw CommandFailure(.usage, "give one of --state and OUT, and not \(output) too")
    }
    return try folder(arguments, of: output)
  }

  /// Returns the folder of the state: `--state`, or `_state` in the folder of the tables.
  static func folder(_ arguments: Arguments, of output: String?) throws(CommandFailure) -> String {
    guard let folder = arguments.value(folder.name) ?? output.map({ "\($0)/_state" }), !folder.isEmpty else {
      throw CommandFailure(.usage, "give OUT, the folder with the tables, or --state, the folder with the state")
    }
    return folder
  }
}

extension CommandFailure {
  /// Creates the failure of a state that cannot be used or written.
  init(_ failure: StateFailure) { self.init(ExitStatus(failure.kind), "\(failure)") }
}

extension ExitStatus {
  /// The exit status for a state that cannot be used or written.
  init(_ kind: StateFailure.Kind) {
    self =
      switch kind {
      case .missing: .noInput
      case .locked: .locked
      case .damaged, .incompatible: .configuration
      case .cannotCreate: .cannotCreate
      case .io, .diskFull: .inputOutput
      }
  }
}
