internal import SKAdNetwork

/// What a line of the dump is.
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

/// Who signs a postback.
enum Signer: Sendable {
  /// The key that is printed, which stands for Apple's.
  case trusted
  /// Another key.
  case impostor
  /// Nobody: the signature is well formed and random.
  case nobody
}

/// What a line of the dump will be, and what `run` has to make of it.
struct LinePlan: Sendable {
  let line: Int
  var kind: LineKind
  /// What is signed.
  var signed: PostbackDraft
  /// What is written: the same, or changed afterwards.
  var draft: PostbackDraft
  var style: ForwardingStyle
  var signer = Signer.trusted
  /// The name of the key in the header of a JWS.
  var keyID = GeneratedKeys.p256Name
  /// What the line is rejected as; nil where it is accepted.
  var rejectCode: RejectCode?
  /// What was changed after signing, or against the first copy.
  var change: FieldChange?
  /// What else was, where edits come in pairs.
  var furtherChange: FieldChange?
  /// How the signature is written, where that was changed.
  var signatureWriting = SignatureWriting.asSigned
  /// For duplicates: the line of the first copy.
  var originalLine: Int?

  /// A valid postback.
  init(line: Int, _ draft: PostbackDraft, _ style: ForwardingStyle) {
    self.line = line
    kind = .valid
    signed = draft
    self.draft = draft
    self.style = style
  }
}
