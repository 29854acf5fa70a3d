package import DurableFiles
package import HTTPClient
package import Signatures

/// The error that ends a process that delivers. The refusal of a partner is none: it is the result of an attempt.
package enum DeliveryFailure: Error, CustomStringConvertible {
  /// The tables, the state or the outbox cannot be read or written.
  case file(FileFailure)
  /// libcrypto failed.
  case libcrypto(LibcryptoFailure)
  /// libcurl failed.
  case transport(TransportFailure)

  /// The failure as text for a person.
  package var description: String {
    switch self {
    case .file(let failure): "\(failure)"
    case .libcrypto(let failure): "\(failure)"
    case .transport(let failure): "\(failure)"
    }
  }

  /// Runs `body`, and throws its failure as one of a file.
  static func file<Value: ~Copyable>(_ body: () throws(FileFailure) -> Value) throws(DeliveryFailure) -> Value {
    do throws(FileFailure) { return try body() } catch { throw .file(error) }
  }

  /// Runs `body`, and throws its failure as one of libcrypto.
  static func libcrypto<Value: ~Copyable>(
    _ body: () throws(LibcryptoFailure) -> Value
  ) throws(DeliveryFailure) -> Value {
    do throws(LibcryptoFailure) { return try body() } catch { throw .libcrypto(error) }
  }

  /// Runs `body`, and throws its failure as one of libcurl.
  static func transport<Value: ~Copyable>(
    _ body: () throws(TransportFailure) -> Value
  ) throws(DeliveryFailure) -> Value {
    do throws(TransportFailure) { return try body() } catch { throw .transport(error) }
  }
}
