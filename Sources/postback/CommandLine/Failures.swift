internal import DurableFiles
internal import PostbackPipeline
internal import TableReading
internal import Tables

extension CommandFailure {
  /// Creates the failure of a pipeline, with its exit status.
  init(_ failure: PipelineFailure) {
    switch failure {
    case .read(let file), .state(let file), .spool(let file): self.init(file)
    case .libcrypto: self.init(.software, "\(failure)")
    }
  }

  /// Creates the failure of a command that can fail in several ways, with the exit status of its kind.
  init(of error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let failure as FileFailure: self.init(failure)
    case let failure as PipelineFailure: self.init(failure)
    case let defect as QueryDefect: self.init(.usage, "\(defect)")
    default: self.init(.software, "\(error)")
    }
  }

  /// Creates the failure of a file operation, with its exit status.
  init(_ failure: FileFailure) { self.init(ExitStatus(failure.kind), "\(failure)") }
}

extension ExitStatus {
  /// The exit status for a file or folder that cannot be used.
  init(_ kind: FileFailure.Kind) {
    self =
      switch kind {
      case .notFound: .noInput
      case .locked: .locked
      case .damaged, .incompatible: .configuration
      case .cannotCreate: .cannotCreate
      case .diskFull, .exhausted, .io: .inputOutput
      }
  }
}

extension UnreadableRows {
  /// Throws if lines were skipped.
  func throwIfAny() throws(CommandFailure) {
    guard let first else { return }
    let lines = count == 1 ? "1 line is not a row and was" : "\(count) lines are not rows and were"
    throw CommandFailure(.configuration, "\(lines) skipped. The first is \(first).")
  }
}
