internal import SKAdNetwork

/// The kind of a line of the dump.
enum LineKind: Hashable, Sendable {
  case valid, zeroFilled, forged, edited
  case duplicateIdentical, duplicateConflict, duplicateTransaction
  case malformed(Malformation)

  /// The name in the truth file.
  var name: String {
    switch self {
    case .valid: "valid"
    case .zeroFilled: "zero_filled"
    case .forged: "forged"
    case .edited: "edited"
    case .duplicateIdentical: "duplicate_identical"
    case .duplicateConflict: "duplicate_conflict"
    case .duplicateTransaction: "duplicate_transaction"
    case .malformed(let malformation): "malformed:\(malformation.rawValue)"
    }
  }
}

/// The signer of a postback.
enum Signer: Sendable {
  /// The generated key that `run` trusts, in the place of Apple's.
  case trusted
  /// Another key, which `run` does not trust.
  case impostor
  /// No key: the signature is well formed and random.
  case nobody
}

/// The plan of a line: its content, its signature, and the outcome that `run` must reach.
struct LinePlan: Sendable {
  let line: Int
  var kind: LineKind
  /// The postback that is signed.
  var signed: PostbackDraft
  /// The postback that is written: the signed one, or a changed one.
  var draft: PostbackDraft
  var style: ForwardingStyle
  var signer = Signer.trusted
  /// The name of the key in the header of a JWS.
  var keyID = GeneratedKeys.p256Name
  /// The code with which `run` rejects the line; nil if it accepts it.
  var rejectCode: RejectCode?
  /// The change after signing, or the difference from the first copy; nil if there is none.
  var change: FieldChange?
  /// The second change, if edits come in pairs.
  var furtherChange: FieldChange?
  /// The form of the signature.
  var signatureWriting = SignatureWriting.asSigned
  /// The line of the first copy; nil if the line is no duplicate.
  var originalLine: Int?

  /// Makes the plan of a valid postback.
  init(line: Int, _ draft: PostbackDraft, _ style: ForwardingStyle) {
    self.line = line
    kind = .valid
    signed = draft
    self.draft = draft
    self.style = style
  }
}
