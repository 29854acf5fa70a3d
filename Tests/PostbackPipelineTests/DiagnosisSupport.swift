import JSON
import SKAdNetwork
import TestSupport

@testable import PostbackPipeline

extension Diagnosis {
  /// The edits as text, such as "campaign-id: 42 -> 77"; nil where nothing was recovered.
  var edits: [String]? {
    guard case .recovered(let recovery) = finding else { return nil }
    return recovery.edits.map { "\($0.field.name): \($0.original ?? "-") -> \($0.arrived ?? "-")" }.sorted()
  }

  /// The words for what was only written differently; nil where there were edits too, or nothing was found.
  var reencodings: [String]? {
    guard case .reencoded(let recovery) = finding else { return nil }
    return recovery.reencodings.map { $0.kind.rawValue + ($0.field.map { " " + $0.name } ?? "") }
  }
}

extension Object {
  var bytes: [UInt8] { Array(text.utf8) }
}

extension RealPostback {
  /// Those that Apple signed with its production keys.
  static let genuine = all.filter { $0.signatureState.hasPrefix("valid") }
}
