internal import SKAdNetwork

/// The kind of a line of the dump. The raw values are those of the truth file.
enum LineKind: String, Sendable {
  case valid, forged, edited, malformed
  case zeroFilled = "zero_filled"
  case forwarderEdited = "forwarder_edited"
  case duplicateIdentical = "duplicate_identical"
  case duplicateConflict = "duplicate_conflict"
  case duplicateTransaction = "duplicate_transaction"
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
  /// The number of the line in the dump, or in the dump without frauds. Lines that a fraud adds have numbers after all others.
  let line: Int
  var kind = LineKind.valid
  /// The malformation of a malformed line; nil for other lines.
  var malformation: Malformation?
  /// The postback that is signed.
  var signed: PostbackDraft
  /// The postback that is written: the signed one, or a changed one.
  var draft: PostbackDraft
  var style: ForwardingStyle
  var signer = Signer.trusted
  /// The name of the key in the header of a JWS.
  var keyID = GeneratedKeys.p256Name
  /// The change after signing, or the difference from the first copy; nil if there is none.
  var change: FieldChange?
  /// The second change, if edits come in pairs.
  var furtherChange: FieldChange?
  /// The form in which the signature is written.
  var signatureWriting = SignatureWriting.asSigned
  /// The line of the first copy; nil if the line is not a duplicate.
  var originalLine: Int?
  /// The arrival of a line of campaign traffic; nil for other dumps.
  var arrival: GeneratedArrival?
  /// The fraud that made, changed or removed the line; nil for a clean line.
  var fraud: FraudMark?

  /// Makes the plan of a valid postback.
  init(line: Int, _ draft: PostbackDraft, _ style: ForwardingStyle) {
    (self.line, signed, self.draft, self.style) = (line, draft, draft, style)
  }

  /// The code with which `run` rejects the line; nil if it accepts it.
  var rejectCode: RejectCode? {
    switch kind {
    case .valid, .zeroFilled, .forwarderEdited: nil
    case .forged: keyID == GeneratedKeys.p256Name ? .signatureInvalid : .unknownKey
    case .edited: signatureWriting == .asSigned ? .signatureInvalid : .malformedSignature
    case .malformed: malformation?.code
    case .duplicateIdentical: .duplicateIdentical
    case .duplicateConflict: .duplicateConflict
    case .duplicateTransaction: .duplicateTransaction
    }
  }

  /// The line of the first copy of the postback.
  var root: Int { originalLine ?? line }
}

/// The written form of a postback: that of an Apple device, or that of a forwarder. It changes no value.
struct ForwardingStyle: Sendable {
  /// Indicates that a forwarder rewrote the postback.
  var isForwarded = false
  /// Indicates that `/` is written `\/`.
  var escapesSlashes = false
  /// Indicates that numbers and Booleans are written as strings.
  var isQuoted = false
  /// Indicates that the keys are sorted by name.
  var isSorted = false
  /// Indicates that absent conversion values are written as nulls.
  var showsNulls = false
  /// The format of an added `timestamp`, RFC 3339 or Unix time in milliseconds; nil if none is added.
  var timestamp: TimestampForm?

  enum TimestampForm: Sendable {
    case text, milliseconds
  }

  /// Draws a style. Half of the postbacks come directly from devices.
  init(_ random: inout SeededGenerator) {
    self.init(isForwarded: random.chance(ofHundred: 50), &random)
  }

  /// Draws a style of Apple's devices, or of forwarders.
  init(isForwarded: Bool, _ random: inout SeededGenerator) {
    self.isForwarded = isForwarded
    escapesSlashes = random.chance(ofHundred: isForwarded ? 10 : 70)
    guard isForwarded else { return }
    isQuoted = random.chance(ofHundred: 4)
    isSorted = random.chance(ofHundred: 30)
    showsNulls = random.chance(ofHundred: 20)
    if random.chance(ofHundred: 25) { timestamp = random.pick([.text, .milliseconds]) }
  }
}
