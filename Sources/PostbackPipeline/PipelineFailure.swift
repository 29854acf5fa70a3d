package import DurableFiles
package import Signatures

/// The failure that stopped a run. It is never about a postback: a bad postback becomes a row of `skan_rejects`.
package enum PipelineFailure: Error, CustomStringConvertible {
  /// An input could not be read.
  case read(FileFailure)
  /// libcrypto failed.
  case libcrypto(LibcryptoFailure)
  /// The state of earlier runs cannot be used or kept.
  case state(FileFailure)
  /// The spool cannot be used.
  case spool(FileFailure)

  /// Runs `body`, and throws its failure as one of the pipeline.
  package static func libcrypto<Value: ~Copyable>(
    _ body: () throws(LibcryptoFailure) -> Value
  ) throws(PipelineFailure) -> Value {
    do throws(LibcryptoFailure) { return try body() } catch { throw .libcrypto(error) }
  }

  /// Runs `body`, and throws its failure as one of the state.
  package static func state<Value: ~Copyable>(
    _ body: () throws(FileFailure) -> Value
  ) throws(PipelineFailure) -> Value {
    do throws(FileFailure) { return try body() } catch { throw .state(error) }
  }

  /// Throws if the task was cancelled, because nobody waits for the rows of a file or folder any more. A reading must not end
  /// early without a failure: it would look like a complete one.
  package static func checkCancellation(of path: String) throws(PipelineFailure) {
    guard Task.isCancelled else { return }
    throw .read(FileFailure(.io, path, "The reading was given up, because nobody waits for it"))
  }

  /// The failure as text for a person.
  package var description: String {
    switch self {
    case .read(let failure): "\(failure)"
    case .libcrypto(let failure): "\(failure)"
    case .state(let failure): "\(failure)"
    case .spool(let failure): "\(failure)"
    }
  }
}
