internal import SKAdNetwork
internal import Signatures

/// Another value for a signed field.
struct Change: Equatable {
  let field: Field
  /// What may have been signed; nil: the field was not there.
  let value: String?
  /// Where in the payload of a JWS a field that is not there goes.
  var place = 0
}

/// A guess at what was signed.
struct Variant {
  /// One of the ways in which the content may have been written.
  var form: Int
  /// What was another value.
  var changes: [Change] = []
}

/// What arrived, as text that can be signed in many variants.
protocol SignedContent {
  /// Which of Apple's frameworks it is of.
  var framework: Framework { get }
  /// What the fields say as they arrived.
  var values: [Field: String] { get }
  /// The ways in which it may have been written, the likeliest first, with what each says of how it arrived.
  var forms: [[Reencoding]] { get }
  /// How many of the forms are worth a search of many thousand variants.
  var likelyFormCount: Int { get }
  /// The fields to look for edits in.
  var fields: [Field] { get }
  /// Guesses that take more than another value of a field, in groups: one of a group has as much for it as another.
  var special: [[[Change]]] { get }

  /// What a form itself says otherwise than what arrived.
  func implied(by form: Int) -> [Change]

  /// Appends what would have been signed; false where nothing would, on that curve.
  func append(_ variant: Variant, on curve: Curve, to message: inout [UInt8]) -> Bool

  /// The postback that would have been signed: its signed fields and a signature, r and s, as Apple writes them.
  func postback(_ variant: Variant, signature: [UInt8]) -> [UInt8]
}
