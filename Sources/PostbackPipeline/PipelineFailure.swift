package import Signatures

/// The failure that stopped a run. It is never about a postback: a bad postback becomes a row of `skan_rejects`.
package enum PipelineFailure: Error, CustomStringConvertible {
  /// An input could not be read.
  case read(ReadFailure)
  /// libcrypto failed.
  case libcrypto(LibcryptoFailure)
  /// A table could not be written.
  case write(WriteFailure)
  /// The state of earlier runs cannot be used or kept.
  case state(StateFailure)
  /// The spool cannot be used.
  case spool(SpoolFailure)

  /// The failure as text for a person.
  package var description: String {
    switch self {
    case .read(let failure): "\(failure)"
    case .libcrypto(let failure): "\(failure)"
    case .write(let failure): "\(failure)"
    case .state(let failure): "\(failure)"
    case .spool(let failure): "\(failure)"
    }
  }
}
