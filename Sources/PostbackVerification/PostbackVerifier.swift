internal import Signatures
public import SKAdNetwork
internal import Synchronization

/// A verifier of postbacks that arrive one at a time.
///
/// Any number of tasks may use one verifier at once; their verifications then run one after another. It keeps its last
/// verdicts, in up to 48 MB, so that a resend costs no second verification.
///
/// ```swift
/// let verifier = try PostbackVerifier()
/// let verification = try verifier.verify(json)
/// if let postback = verification.verified {
///   print(postback.fields.appID, postback.fields.transactionID, postback.signer.id)
/// }
/// ```
public final class PostbackVerifier: Sendable {
  /// The keys that are trusted.
  public let trust: TrustPolicy

  private let tools: Mutex<Tools>

  private struct Tools: ~Copyable {
    var parser = PostbackParser()
    var verifier: SignatureVerifier
  }

  /// Makes a verifier that trusts Apple's production keys.
  ///
  /// - Throws: `VerificationError.cryptography`.
  public convenience init() throws(VerificationError) {
    let trust: TrustPolicy
    do throws(TrustError) {
      trust = try TrustPolicy.apple()
    } catch {
      throw .cryptography(error.description)
    }
    try self.init(trusting: trust)
  }

  /// Makes a verifier that trusts these keys.
  ///
  /// - Throws: `VerificationError.cryptography`.
  public init(trusting trust: TrustPolicy) throws(VerificationError) {
    self.trust = trust
    do throws(LibcryptoFailure) {
      tools = Mutex(Tools(verifier: try SignatureVerifier(trust)))
    } catch {
      throw .cryptography(error.description)
    }
  }

  /// Parses a postback and verifies its signature. A forgery is a result and no error.
  ///
  /// - Parameter json: The JSON text in UTF-8, such as the body of the HTTP request: `[UInt8]`, `Data`, a slice.
  /// - Returns: The state of the signature, the signed text, and the postback with its proof if it is genuine.
  /// - Throws: An error if the text is not a postback of a known version, or if libcrypto fails.
  ///
  /// Source: Apple, "Verifying an install-validation postback" (SKAdNetwork) and "Verifying a postback"
  /// (AdAttributionKit).
  public func verify(_ json: some Sequence<UInt8>) throws(VerificationError) -> Verification {
    let bytes = Array(json)
    return try tools.withLock { tools throws(VerificationError) in
      let postback: UnverifiedPostback
      do throws(PostbackError) {
        postback = try UnverifiedPostback(parsing: bytes, with: &tools.parser)
      } catch {
        throw .malformedPostback(error)
      }
      return try Self.verify(postback, by: trust, &tools.verifier)
    }
  }

  /// Verifies the signature of a postback that was parsed already.
  ///
  /// - Throws: `VerificationError.cryptography`.
  public func verify(_ postback: UnverifiedPostback) throws(VerificationError) -> Verification {
    try tools.withLock { tools throws(VerificationError) in
      try Self.verify(postback, by: trust, &tools.verifier)
    }
  }

  private static func verify(
    _ postback: UnverifiedPostback,
    by trust: TrustPolicy,
    _ verifier: inout SignatureVerifier
  ) throws(VerificationError) -> Verification {
    do throws(LibcryptoFailure) {
      let verification = try verifier.verify(postback.postback, of: postback.bytes)
      return try Verification(verification, of: postback, by: trust, &verifier)
    } catch {
      throw .cryptography(error.description)
    }
  }
}

/// The reason for which there is no verdict on a text.
public enum VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not a postback of a known version. The error has a stable code and an explanation.
  case malformedPostback(PostbackError)
  /// The cryptographic library failed, such as for want of memory. It says nothing about the postback: keep the bytes
  /// and verify them again.
  case cryptography(String)

  /// The error for a person.
  public var description: String {
    switch self {
    case .malformedPostback(let error): error.description
    case .cryptography(let failure): failure
    }
  }
}
