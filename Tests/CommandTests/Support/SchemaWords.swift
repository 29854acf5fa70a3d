import ConversionModel
@testable import PostbackPipeline
@testable import PostbackVerification
import SKAdNetwork
@testable import Tampering
import Testing

/// The words that a column may have, and the enumeration that defines them.
struct Words: Sendable, CustomTestStringConvertible {
  let schema: String
  let column: String
  let words: [String]

  var testDescription: String { "\(schema).\(column)" }

  private init(_ schema: String, _ column: String, _ words: [String]) {
    self.schema = schema
    self.column = column
    self.words = words
  }

  private init<Word: CaseIterable & RawRepresentable<String>>(_ schema: String, _ column: String, _ type: Word.Type) {
    self.init(schema, column, Word.allCases.map(\.rawValue))
  }

  static let all = [
    Words("skan_postbacks", "framework", Framework.self),
    Words("skan_postbacks", "version", Version.self),
    Words("skan_postbacks", "ad_interaction_type", AdInteractionType.self),
    Words("skan_postbacks", "coarse_conversion_value", CoarseConversionValue.self),
    Words("skan_postbacks", "environment", Environment.self),
    Words("skan_postbacks", "signature_state", SignatureState.allCases.filter(\.mayBeAccepted).map(\.rawValue)),
    Words("skan_postbacks", "channel", Channel.self),
    Words("skan_postbacks", "received_at_source", ReceivedAtSource.self),
    Words("skan_postbacks", "decode_status", DecodeStatus.self),
    Words("skan_events", "revenue_kind", RevenueKind.self),
    Words("skan_rejects", "stage", RejectStage.self),
    Words("skan_rejects", "reject_code", RejectCode.self),
    Words("skan_rejects", "channel", Channel.self),
    Words("skan_rejects", "received_at_source", ReceivedAtSource.self),
    Words("envelope", "channel", Channel.self),
    Words("diagnosis", "finding", Diagnosis.codes),
    Words("diagnosis", "reason", Diagnosis.Reason.self),
  ]
}

extension SignatureState {
  /// Tells if a postback with that state can be in `skan_postbacks`; the other states have reject codes.
  fileprivate var mayBeAccepted: Bool {
    switch self {
    case .valid, .validZeroFilled, .development: true
    case .invalid, .unknownKey, .malformed: false
    }
  }
}
