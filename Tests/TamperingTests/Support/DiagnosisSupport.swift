import PostbackVerification
@testable import Tampering
import JSON
import SKAdNetwork
import TestSupport

extension Diagnosis {
  /// The edits as text, such as "campaign-id: 42 -> 77"; nil if nothing was recovered.
  var edits: [String]? {
    guard case .recovered(let recovery) = finding else { return nil }
    return recovery.edits.map { "\($0.field.name): \($0.original ?? "-") -> \($0.arrived ?? "-")" }.sorted()
  }

  /// The codes of the re-encodings; nil if there are edits too, or if nothing was found.
  var reencodings: [String]? {
    guard case .reencoded(let recovery) = finding else { return nil }
    return recovery.reencodings.map { $0.kind.rawValue + ($0.field.map { " " + $0.name } ?? "") }
  }
}

extension RealPostback {
  /// The postbacks that Apple signed with its production keys.
  static let genuine = all.filter { $0.signatureState.hasPrefix("valid") }
}

/// Returns the verification of one postback, with Apple's keys.
func verification(of text: [UInt8]) throws -> SignatureVerification {
  var parser = PostbackParser()
  var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
  let postback = try parser.parse(0..<text.count, of: &bytes)
  var verifier = try SignatureVerifier(try TrustPolicy.apple())
  return try verifier.verify(postback, of: bytes)
}
