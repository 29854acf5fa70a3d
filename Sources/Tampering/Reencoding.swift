package import SKAdNetwork

/// A difference in the form of a postback from Apple's form, which changes no value.
package struct Reencoding: Hashable, Sendable {
  /// The kind of difference.
  package var kind: Kind
  /// The field that is written differently; nil for the signature and the JWS.
  package var field: Field?

  init(_ kind: Kind, _ field: Field? = nil) {
    self.kind = kind
    self.field = field
  }

  /// The kinds of difference in form. The raw values are stable.
  package enum Kind: String, CaseIterable, Sendable {
    /// The signature is in base64url.
    case base64URL = "base64url"
    /// The signature is in standard base64, where it should be base64url.
    case base64Standard = "base64_standard"
    /// The padding of the signature's base64 is missing or superfluous, or its last digit has unused bits that are set.
    case padding
    /// White space stands in or around the signature.
    case whiteSpace = "white_space"
    /// A `+` of the signature was replaced by a space, as in form decoding.
    case spaceForPlus = "space_for_plus"
    /// The signature is percent-encoded.
    case percentEncoded = "percent_encoded"
    /// The signature is in hexadecimal.
    case hexadecimal
    /// The signature is r and s alone, and should be DER.
    case rawSignature = "raw_signature"
    /// The signature is DER, and should be r and s alone.
    case derSignature = "der_signature"
    /// The signature's DER is not in the strict form.
    case looseDER = "loose_der"
    /// The JWS is a JSON object (RFC 7515, section 7.2).
    case jwsObject = "jws_object"
    /// The base64url of header or payload is not in the strict form.
    case jwsBase64 = "jws_base64"
    /// The header of the JWS was rewritten.
    case jwsHeader = "jws_header"
    /// The payload of the JWS was rewritten.
    case jwsPayload = "jws_payload"
    /// A value has another JSON type.
    case retyped
    /// Zero, or an empty text, was written for an absent field.
    case zeroFilled = "zero_filled"
  }

  /// The difference in one sentence.
  package var sentence: String { clause.sentence }

  private var clause: String {
    let field = field?.name ?? ""
    return switch kind {
    case .base64URL: "the signature was written in base64url"
    case .base64Standard: "the signature was written in standard base64"
    case .padding: "the base64 padding of the signature was removed or added"
    case .whiteSpace: "white space was added to the signature"
    case .spaceForPlus: "each + of the signature was replaced by a space"
    case .percentEncoded: "the signature was percent-encoded"
    case .hexadecimal: "the signature was written in hexadecimal"
    case .rawSignature: "the signature was written as r and s instead of DER"
    case .derSignature: "the signature was written as DER instead of r and s"
    case .looseDER: "the signature is not in strict DER"
    case .jwsObject: "the JWS was written as a JSON object"
    case .jwsBase64: "the JWS was encoded again in base64url"
    case .jwsHeader: "the header of the JWS was rewritten"
    case .jwsPayload: "the payload of the JWS was rewritten"
    case .retyped: "\(field) was sent as another JSON type"
    case .zeroFilled: "\(field) was filled in, although Apple left it out"
    }
  }
}
