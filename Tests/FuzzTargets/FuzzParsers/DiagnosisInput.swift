import PostbackVerification

@testable import Tampering

/// A record whose signature is compared with what it may have been before an edit.
struct DiagnosisInput: Sendable {
  static let shared = DiagnosisInput()

  private let diagnoser: Diagnoser
  /// The budget of the diagnosis, enough for the first variants of any postback.
  private static let budget = 16

  private init() {
    do { diagnoser = try Diagnoser(try TrustPolicy.apple(), budget: Self.budget) } catch { fatalError("\(error)") }
  }

  func read(_ record: [UInt8]) {
    do {
      let diagnosis = try diagnoser.diagnose(record)
      require(diagnosis.tried <= Self.budget, "a diagnosis keeps to its budget")
      require(Diagnosis.codes.contains(diagnosis.code), "a diagnosis has a finding that is known")
    } catch {
      fatalError("\(error)")
    }
    _ = RelatedPostback(record: record)?.content
  }
}
