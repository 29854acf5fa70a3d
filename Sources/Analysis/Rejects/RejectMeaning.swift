package import SKAdNetwork

extension RejectCode {
  /// A short explanation of the code, for analysts.
  package var meaning: String {
    switch self {
    case .notJSON: "not JSON"
    case .notAnObject: "JSON, but no object"
    case .tooLarge: "larger than a postback may be"
    case .tooDeep: "nested too deep"
    case .invalidUTF8: "not UTF-8"
    case .duplicateKey: "a key twice in one object"
    case .truncatedInput: "the input was cut"
    case .unknownVersion: "no such version"
    case .unsupportedVersion: "a later version than this program knows: an update is due, or it is forged"
    case .missingField: "a signed field is missing"
    case .wrongType: "a field of the wrong type"
    case .outOfRange: "a value that cannot be"
    case .forbiddenCharacter: "a separator inside a value, as forgers put it there"
    case .malformedJWS: "not a JWS as AdAttributionKit sends it"
    case .malformedSignature: "the signature is none: cut, or written down differently"
    case .signatureInvalid: "not what Apple signed: edited or invented"
    case .unknownKey: "names a key that is not trusted"
    case .developmentKey: "genuine, but of a test"
    case .appNotAllowed: "an app that is not wanted here"
    case .networkNotAllowed: "an ad network that is not wanted here"
    case .duplicateIdentical: "the same again: a retry, or another channel"
    case .duplicateConflict: "the same postback with another unsigned value: edited"
    case .duplicateTransaction: "the same transaction with other signed content"
    }
  }
}
