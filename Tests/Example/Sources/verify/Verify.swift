import Base
import ConversionModel
import Foundation
import PostbackVerification
import SKAdNetwork

/// Verifies the postbacks of a file, one on each line, and decodes those that a trusted key signed.
@main struct Verify {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else {
      print("Usage: verify POSTBACKS MODELS [TIME [KEY]]")
      exit(64)
    }
    let time = arguments.count > 3 ? Timestamp(arguments[3]) : nil
    let verifier = arguments.count > 4 ? try self.verifier(trusting: arguments[4]) : try PostbackVerifier()
    let models = try Models(loading: [arguments[2]])
    for json in try Data(contentsOf: URL(fileURLWithPath: arguments[1])).split(separator: UInt8(ascii: "\n")) {
      do throws(VerificationError) {
        report(try verifier.verify(json), models, receivedAt: time)
      } catch {
        switch error {
        case .malformedPostback(let error): print("rejected, \(error.code.rawValue): \(error.explanation)")
        case .cryptography(let failure): print("no verdict: \(failure)")
        }
      }
    }
  }

  /// A verifier that also accepts test postbacks, of Apple's development keys and of the key of a test system.
  static func verifier(trusting key: String) throws -> PostbackVerifier {
    var trust = try TrustPolicy.apple()
    trust.allowsDevelopment = true
    try trust.add("ours", base64: key)
    return try PostbackVerifier(trusting: trust)
  }

  static func report(_ verification: Verification, _ models: Models, receivedAt time: Timestamp?) {
    print("\(verification.state.rawValue), key: \(verification.key?.id ?? "none")")
    print("  signed text: \(String(decoding: verification.signedText, as: UTF8.self).replacing("\u{2063}", with: "|"))")
    guard let postback = verification.verified else {
      print("  rejected: \(verification.rejectCode?.explanation ?? "")")
      return
    }
    print("  postback key: \(postback.key)")
    let decoding = models.decode(ReceivedConversion(postback, receivedAt: time))
    let events = decoding.events.map(\.name).joined(separator: ", ")
    print("  conversion: \(decoding.status.rawValue) \(events)")
  }
}
