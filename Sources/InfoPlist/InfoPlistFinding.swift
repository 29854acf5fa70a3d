package import JSON

/// A defect of an Info.plist, with its place and its correction.
package struct InfoPlistFinding: Sendable, Equatable {
  /// The severity of a finding.
  package enum Severity: String, Sendable {
    /// A part of the file has no effect, or a wrong one.
    case error
    /// The file may be right.
    case warning
  }

  /// The codes of findings. They are part of the public contract.
  package enum Code: String, CaseIterable, Sendable {
    case unreadable
    case wrongType = "wrong_type"
    case keySpelling = "key_spelling"
    case keyUnknown = "key_unknown"
    case keyMissing = "key_missing"
    case keyTwice = "key_twice"
    case idUpperCase = "id_upper_case"
    case idSuffix = "id_suffix"
    case idForm = "id_form"
    case idUnusual = "id_unusual"
    case idTwice = "id_twice"
    case variable
    case endpointMissing = "endpoint_missing"
    case endpointInvalid = "endpoint_invalid"
    case endpointPath = "endpoint_path"
    case endpointSubdomain = "endpoint_subdomain"
    case endpointsDiffer = "endpoints_differ"
    case reengagementMissing = "reengagement_missing"
    case networkMissing = "network_missing"
    case valueRange = "value_range"
    case noEffect = "no_effect"

    package var severity: Severity {
      switch self {
      case .unreadable, .wrongType, .keySpelling, .keyUnknown, .keyMissing, .keyTwice, .idUpperCase, .idSuffix, .idForm,
        .endpointInvalid, .endpointsDiffer, .networkMissing, .valueRange:
        .error
      case .idUnusual, .idTwice, .variable, .endpointMissing, .endpointPath, .endpointSubdomain, .reengagementMissing,
        .noEffect:
        .warning
      }
    }
  }

  package let code: Code
  /// The place, such as `SKAdNetworkItems[3].SKAdNetworkIdentifier`; empty for the whole file.
  package let keyPath: String
  /// The value that was found; nil if there is none.
  package let found: String?
  /// The defect and its correction, as sentences.
  package let advice: String

  package var json: JSONValue {
    .object([
      .init("code", .string(code.rawValue)), .init("severity", .string(code.severity.rawValue)),
      .init("key_path", .string(keyPath)), .init("found", .text(found)),
      .init("advice", .string(advice)),
    ])
  }
}
