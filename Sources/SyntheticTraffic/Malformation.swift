internal import SKAdNetwork

/// A malformation that makes a line invalid by its form alone.
enum Malformation: String, CaseIterable, Sendable {
  // MARK: - The line

  case truncatedLine = "truncated_line"
  case twoObjects = "two_objects"
  case trailingComma = "trailing_comma"
  case notANumber = "not_a_number"
  case formEncoded = "form_encoded"
  case scalar
  case duplicateKey = "duplicate_key"
  case invalidUTF8 = "invalid_utf8"
  case tooDeep = "too_deep"
  case tooLarge = "too_large"

  // MARK: - The fields

  case unknownVersion = "unknown_version"
  case unsupportedVersion = "unsupported_version"
  case missingField = "missing_field"
  case notABoolean = "not_a_boolean"
  case fractionalAppID = "fractional_app_id"
  case numberOutOfRange = "number_out_of_range"
  case wordForNumber = "word_for_number"
  case invisibleSeparator = "invisible_separator"
  case nulCharacter = "nul_character"

  // MARK: - The JWS

  case jwsOfTwoParts = "jws_of_two_parts"
  case jwsAlgorithmNone = "jws_algorithm_none"
  case jwsPayloadNotJSON = "jws_payload_not_json"

  // MARK: - The signature

  case signatureNotBase64 = "signature_not_base64"
  case signatureTrailingByte = "signature_trailing_byte"
  case signatureOtherForm = "signature_other_form"

  /// The code with which `run` rejects the line.
  var code: RejectCode {
    switch self {
    case .truncatedLine, .twoObjects, .trailingComma, .notANumber, .formEncoded: .notJSON
    case .scalar: .notAnObject
    case .duplicateKey: .duplicateKey
    case .invalidUTF8: .invalidUTF8
    case .tooDeep: .tooDeep
    case .tooLarge: .tooLarge
    case .unknownVersion: .unknownVersion
    case .unsupportedVersion: .unsupportedVersion
    case .missingField: .missingField
    case .notABoolean, .fractionalAppID, .wordForNumber: .wrongType
    case .numberOutOfRange: .outOfRange
    case .invisibleSeparator, .nulCharacter: .forbiddenCharacter
    case .jwsOfTwoParts, .jwsAlgorithmNone, .jwsPayloadNotJSON: .malformedJWS
    case .signatureNotBase64, .signatureTrailingByte, .signatureOtherForm: .malformedSignature
    }
  }

  /// Indicates that a postback of that format can be malformed in this way.
  func applies(to format: PostbackFormat) -> Bool {
    switch self {
    case .unknownVersion, .unsupportedVersion, .signatureNotBase64: format.version != nil
    case .notABoolean: format != .skAdNetwork(.v1_0)
    case .jwsOfTwoParts, .jwsAlgorithmNone, .jwsPayloadNotJSON: format == .adAttributionKit
    default: true
    }
  }
}

extension Malformation {
  /// Changes the fields of the draft. Returns the change if it is a change of one field.
  func apply(to draft: inout PostbackDraft, _ random: inout SeededGenerator) -> FieldChange? {
    let format = draft.format
    switch self {
    case .notANumber:
      return draft.change(.conversionValue, to: .json("NaN"))
    case .duplicateKey:
      draft[.conversionValue] = .integer(0)
      draft.double(.conversionValue, .integer(63))
    case .tooDeep:
      let depth = 100 + random.below(100)
      let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      draft.extras.append(("details", .json(arrays)))
    case .tooLarge:
      draft.extras.append(("padding", .text(String(repeating: "0123456789", count: 7000 + random.below(1000)))))
    case .unknownVersion:
      return draft.change(.version, to: .text(random.pick(["2.7", "4", "v4.0"])))
    case .unsupportedVersion:
      return draft.change(.version, to: .text(random.pick(["4.1", "5.0"])))
    case .missingField:
      return draft.change(random.pick(format.requiredFields), to: nil)
    case .notABoolean:
      let field: Field = format == .adAttributionKit ? .didWin : .redownload
      return draft.change(field, to: .text(draft[field] == .boolean(true) ? "yes" : "no"))
    case .fractionalAppID:
      return draft.change(format.app, to: .json((draft[format.app]?.text ?? "") + random.pick([".5", ".25", ".75"])))
    case .numberOutOfRange:
      let (field, value) = random.pick(Self.outOfRange(format))
      return draft.change(field, to: value)
    case .wordForNumber:
      return draft.change(format.app, to: .text(random.pick(["app", "none"])))
    case .invisibleSeparator:
      return draft.change(format.transaction, to: .text((draft[format.transaction]?.text ?? "") + "\u{2063}1"))
    case .nulCharacter:
      return draft.change(format.adNetwork, to: .text((draft[format.adNetwork]?.text ?? "") + "\0"))
    case .truncatedLine, .twoObjects, .trailingComma, .formEncoded, .scalar, .invalidUTF8, .jwsOfTwoParts,
      .jwsAlgorithmNone, .jwsPayloadNotJSON, .signatureNotBase64, .signatureTrailingByte, .signatureOtherForm:
      break
    }
    return nil
  }

  /// Returns values of signed fields just outside the ranges that Apple sends.
  private static func outOfRange(_ format: PostbackFormat) -> [(Field, DraftValue)] {
    var values: [(Field, DraftValue)] = [(format.app, .integer(-1))]
    for field in [Field.campaignID, .fidelityType, .postbackSequenceIndex] where format.rules.signs(field) {
      if field.range.lowerBound > 0 { values.append((field, .integer(field.range.lowerBound - 1))) }
      values.append((field, .integer(field.range.upperBound + 1)))
    }
    if format.rules.signs(.sourceIdentifier) {
      values += [(.sourceIdentifier, .text("5")), (.sourceIdentifier, .text("52391"))]
    }
    return values
  }
}
