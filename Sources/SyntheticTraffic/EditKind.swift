package import SKAdNetwork

/// The kinds of change that edited lines get after signing.
package enum EditKind: String, CaseIterable, Sendable {
  /// A signed field has another value.
  case value
  /// Two signed fields, each with few possible values, have other values.
  case pair
  /// An identifier is in the other letter case.
  case letterCase = "letter-case"
  /// A space precedes or follows an identifier.
  case whiteSpace = "white-space"
  /// An identifier is percent-encoded.
  case percentEncoding = "percent-encoding"
  /// The advertised app and the source app are exchanged.
  case swap
  /// No value is changed, but the signature is written in a form that is not Apple's.
  case signature

  /// Returns the fields of `editable` that this kind can edit in postbacks of that format.
  func fields(of format: PostbackFormat, among editable: [Field]) -> [Field] {
    let fields = format.editableFields.filter(editable.contains)
    switch self {
    case .value: return fields
    case .pair:
      let few: [Field] = [.campaignID, .redownload, .fidelityType, .didWin, .postbackSequenceIndex, .conversionType]
      return fields.filter(few.contains)
    case .letterCase, .whiteSpace, .percentEncoding:
      return fields.filter { $0 == format.adNetwork || $0 == format.transaction }
    case .swap: return format == .skAdNetwork(.v1_0) ? [] : fields.filter { $0 == format.app || $0 == format.sourceApp }
    case .signature: return [format.version == nil ? .jwsString : .attributionSignature]
    }
  }

  /// Indicates that lines of that format can be edited in this way.
  package func applies(to format: PostbackFormat, among editable: [Field]) -> Bool {
    let count = fields(of: format, among: editable).count
    return self == .pair || self == .swap ? count > 1 : count > 0
  }
}

/// The form in which a signature is written.
enum SignatureWriting: String, Sendable {
  /// Apple's form.
  case asSigned = "as_signed"
  case hexadecimal
  /// In hexadecimal, with capital letters.
  case capitalHexadecimal = "capital_hexadecimal"
  /// r and s alone in place of DER, or DER in place of r and s.
  case otherForm = "other_form"
}

extension LinePlan {
  /// Edits the signed postback in this way.
  mutating func edit(_ kind: EditKind, among editable: [Field], _ random: inout SeededGenerator) {
    let fields = kind.fields(of: draft.format, among: editable)
    switch kind {
    case .value:
      let field = random.pick(fields)
      // Apple sends only one of a source app and a source domain.
      if field == .sourceDomain { (signed[.sourceAppID], draft[.sourceAppID]) = (nil, nil) }
      change = draft.edit(field, &random)
    case .pair:
      let first = random.pick(fields)
      change = draft.edit(first, &random)
      furtherChange = draft.edit(random.pick(fields.filter { $0 != first }), &random)
    case .letterCase, .whiteSpace, .percentEncoding:
      let field = random.pick(fields)
      change = draft.change(field, to: .text((draft[field]?.text ?? "").written(kind, &random)))
    case .swap:
      let (app, sourceApp) = (draft.format.app, draft.format.sourceApp)
      signed[.sourceDomain] = nil
      if signed[sourceApp] == nil { signed[sourceApp] = .integer(random.storeID()) }
      draft = signed
      change = draft.change(app, to: signed[sourceApp])
      furtherChange = draft.change(sourceApp, to: signed[app])
    case .signature:
      signatureWriting = random.pick([.hexadecimal, .capitalHexadecimal, .otherForm])
      change = FieldChange(
        field: fields[0],
        original: SignatureWriting.asSigned.rawValue,
        edited: signatureWriting.rawValue
      )
    }
  }
}

extension String {
  /// Returns the identifier after an edit of this kind.
  fileprivate func written(_ kind: EditKind, _ random: inout SeededGenerator) -> String {
    switch kind {
    case .letterCase: return self == uppercased() ? lowercased() : uppercased()
    case .whiteSpace: return random.chance(ofHundred: 50) ? " " + self : self + " "
    default:
      var encoded = ""
      for character in self { encoded += character == "." ? "%2E" : character == "-" ? "%2D" : String(character) }
      return encoded
    }
  }
}
