internal import PostbackPipeline

/// What the commands share that look at the state of earlier runs.
enum StateOptions {
  static let folder = Option("--state", "DIR", "The folder with the state.")

  /// The folder that the option names, which must be there.
  static func folder(_ arguments: Arguments) throws(CommandFailure) -> String {
    if let operand = arguments.operands.first {
      throw CommandFailure(.usage, "options are all there is to give, and not \(operand)")
    }
    guard let folder = arguments.value("--state"), !folder.isEmpty else {
      throw CommandFailure(.usage, "give --state, the folder with the state")
    }
    return folder
  }
}

extension CommandFailure {
  /// The failure for why a state cannot be used or kept.
  init(_ failure: StateFailure) { self.init(ExitStatus(failure.kind), "\(failure)") }
}

extension ExitStatus {
  /// The exit status for why a state cannot be used or kept.
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
