internal import SKAdNetwork

/// How edited lines are edited.
enum EditKind: String, CaseIterable, Sendable {
  /// A signed field has another value.
  case value
  /// Two signed fields that have few values have another one each.
  case pair
  /// An identifier is in the other letter case.
  case letterCase = "letter-case"
  /// A space stands before or behind an identifier.
  case whiteSpace = "white-space"
  /// An identifier is percent-encoded.
  case percentEncoding = "percent-encoding"
  /// The advertised app and the source app have changed places.
  case swap
  /// Nothing that the postback says is changed, but the signature is written as nobody should.
  case signature

  /// The fields that are edited in this way, of those that may be.
  func fields(of form: PostbackForm, among editable: [Field]) -> [Field] {
    let fields = form.editableFields.filter(editable.contains)
    switch self {
    case .value: return fields
    case .pair:
      let few: [Field] = [.campaignID, .redownload, .fidelityType, .didWin, .postbackSequenceIndex, .conversionType]
      return fields.filter(few.contains)
    case .letterCase, .whiteSpace, .percentEncoding:
      return fields.filter { $0 == form.adNetwork || $0 == form.transaction }
    case .swap: return form == .skAdNetwork(.v1_0) ? [] : fields.filter { $0 == form.app || $0 == form.sourceApp }
    case .signature: return [form.version == nil ? .jwsString : .attributionSignature]
    }
  }

  /// Whether lines of that form can be edited in this way.
  func applies(to form: PostbackForm, among editable: [Field]) -> Bool {
    let count = fields(of: form, among: editable).count
    return self == .pair || self == .swap ? count > 1 : count > 0
  }
}

/// How a signature is written down.
enum SignatureWriting: String, Sendable {
  /// As Apple does.
  case asSigned = "as_signed"
  case hexadecimal
  /// Broken into lines, as encoders for mail do.
  case lines
  /// r and s alone instead of DER, and the other way about.
  case otherForm = "other_form"
}

extension LinePlan {
  /// Edits what was signed in this way.
  mutating func edit(_ kind: EditKind, among editable: [Field], _ random: inout SeededGenerator) {
    let fields = kind.fields(of: draft.form, among: editable)
    switch kind {
    case .value:
      let field = random.pick(fields)
      signed.prepareEdit(of: field)
      draft.prepareEdit(of: field)
      change = draft.edit(field, &random)
    case .pair:
      let first = random.pick(fields)
      change = draft.edit(first, &random)
      furtherChange = draft.edit(random.pick(fields.filter { $0 != first }), &random)
    case .letterCase, .whiteSpace, .percentEncoding:
      let field = random.pick(fields)
      change = draft.change(field, to: .text((draft[field]?.text ?? "").written(kind, &random)))
    case .swap:
      let (app, sourceApp) = (draft.form.app, draft.form.sourceApp)
      signed.prepareSwap(&random)
      draft = signed
      change = draft.change(app, to: signed[sourceApp])
      furtherChange = draft.change(sourceApp, to: signed[app])
    case .signature:
      signatureWriting = random.pick([.hexadecimal, .lines, .otherForm])
      change = FieldChange(
        field: fields[0],
        original: SignatureWriting.asSigned.rawValue,
        edited: signatureWriting.rawValue
      )
      let isJWS = draft.form.version == nil
      rejectCode = isJWS && signatureWriting == .lines ? .malformedJWS : .malformedSignature
    }
  }
}

extension PostbackDraft {
  /// Makes room, before signing, for the source app that changes places.
  fileprivate mutating func prepareSwap(_ random: inout SeededGenerator) {
    self[.sourceDomain] = nil
    if self[form.sourceApp] == nil { self[form.sourceApp] = .integer(random.storeID()) }
  }
}

extension String {
  /// The identifier as it is after such an edit.
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
