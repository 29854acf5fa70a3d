internal import SKAdNetwork
internal import Signatures

/// A change of a signed field to another value.
struct Change: Equatable {
  let field: Field
  /// The value that may have been signed; nil if the field may have been absent.
  let value: String?
  /// The place of an absent field among the members of a JWS payload.
  var place = 0
}

/// A guess at the content that was signed.
struct Variant {
  /// The index of the form in which the content may have been written.
  var form: Int
  /// The fields with another value than the arrived one.
  var changes: [Change] = []
}

/// The content of an arrived postback, from which the signed text of many variants can be made.
protocol SignedContent {
  /// The framework of the postback.
  var framework: Framework { get }
  /// The values of the fields as they arrived.
  var values: [Field: String] { get }
  /// The forms in which the content may have been written, the most likely first, each with its differences from the
  /// arrived form.
  var forms: [[Reencoding]] { get }
  /// The number of forms, from the first, that are worth a search of many thousand variants.
  var likelyFormCount: Int { get }
  /// The fields that may have been edited.
  var fields: [Field] { get }
  /// Variants that change more than the value of one field, in groups. The variants of a group are equally likely.
  var special: [[[Change]]] { get }

  /// Returns the values in a form that differ from the arrived ones.
  func implied(by form: Int) -> [Change]

  /// Appends the signed text of a variant; returns false if nothing of this kind is signed on the curve.
  func append(_ variant: Variant, on curve: Curve, to message: inout [UInt8]) -> Bool

  /// Returns the postback of a variant as Apple writes it: its signed fields, and a signature that is given as r and s.
  func postback(_ variant: Variant, signature: [UInt8]) -> [UInt8]
}
