internal import ConversionModel
internal import Delivery
internal import DurableFiles
internal import LookupTables
internal import ModelFitting
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackService
internal import PostbackVerification
internal import TableReading
internal import Tables
internal import Warehouse

extension CommandFailure {
  /// Creates the failure of a command from any error, with the exit status of its kind.
  init(of error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let failure as FileFailure: self.init(ExitStatus(failure.kind), "\(failure)")
    case PipelineFailure.read(let file), PipelineFailure.state(let file), PipelineFailure.spool(let file),
      Lookups.Failure.file(let file), LoadFailure.file(let file), DeliveryFailure.file(let file):
      self.init(of: file)
    case is QueryDefect: self.init(.usage, "\(error)")
    case is ModelErrors, is LookupErrors, is ConfigurationErrors:
      self.init(.configuration, lines: "\(error)")
    case Lookups.Failure.tables(let errors): self.init(of: errors)
    case Lookups.Failure.libcrypto(let failure): self.init(of: failure)
    case let failure as TrustError: self.init(failure.isOfLibcrypto ? .software : .configuration, "\(failure)")
    case is FittingFailure: self.init(.configuration, "\(error)")
    case is ListeningSocket.Failure: self.init(.cannotCreate, "\(error)")
    case is StuckSpool: self.init(.inputOutput, "\(error)")
    case let failure as DatabaseFailure:
      self.init(ExitStatus(failure.kind), "\(failure)", details: failure.details)
    case LoadFailure.database(let failure): self.init(of: failure)
    default: self.init(.software, "\(error)")
    }
  }
}

extension ExitStatus {
  /// The exit status for a file or folder that cannot be used.
  fileprivate init(_ kind: FileFailure.Kind) {
    self =
      switch kind {
      case .notFound: .noInput
      case .locked: .locked
      case .damaged, .incompatible: .configuration
      case .cannotCreate: .cannotCreate
      case .diskFull, .exhausted, .io: .inputOutput
      }
  }

  /// The exit status for an operation on a database.
  fileprivate init(_ kind: DatabaseFailure.Kind) {
    self =
      switch kind {
      case .usage: .usage
      case .configuration: .configuration
      case .noPermission: .noPermission
      case .unreachable, .server: .inputOutput
      case .busy: .locked
      }
  }
}

extension UnreadableRows {
  /// Throws if lines were skipped.
  func throwIfAny() throws {
    guard let first else { return }
    let lines = count == 1 ? "1 line is not a row and was" : "\(count) lines are not rows and were"
    throw CommandFailure(.configuration, "\(lines) skipped. The first is \(first).")
  }
}
