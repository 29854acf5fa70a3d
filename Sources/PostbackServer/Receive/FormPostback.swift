internal import Base
internal import JSON
internal import SKAdNetwork

/// A postback in the parameters of a query, or in a form-encoded body.
struct FormPostback {
  /// The postback as a JSON object.
  let body: [UInt8]
  /// The parameters beside it, as they came; empty if there are none.
  let rest: [UInt8]

  private static let numbers: Set<Field> = [
    .campaignID, .appID, .sourceAppID, .fidelityType, .postbackSequenceIndex, .conversionValue,
  ]
  private static let booleans: Set<Field> = [.redownload, .didWin]
  /// The fields of a postback by their names in small letters, with `-` in place of `_`.
  private static let fields = Dictionary(
    uniqueKeysWithValues: Field.allCases.prefix { $0.rawValue <= Field.adInteractionType.rawValue }.map {
      ($0.name, $0)
    }
  )

  /// Reads a postback whose fields are parameters, under Apple's names or the same ones with `_`, or one that is a JSON object
  /// in a parameter, as it is or in base64. Nil if there is no signature, or a parameter occurs twice.
  init?(_ text: ArraySlice<UInt8>) {
    let pairs = text.split(separator: UInt8(ascii: "&"))
    for (place, pair) in pairs.enumerated() {
      guard let value = QueryParameter.pairs(in: pair).first?.value, let object = Self.object(in: value) else {
        continue
      }
      body = object
      let others = pairs[..<place] + pairs[(place + 1)...]
      rest = Array(others.joined(separator: [UInt8(ascii: "&")]))
      return
    }
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    var isSigned = false
    for (name, value) in QueryParameter.pairs(in: text) {
      let field = Self.fields[
        name.lowercased().split(separator: "_", omittingEmptySubsequences: false).joined(separator: "-")
      ]
      let key = field?.name ?? name
      guard names.insert(key).inserted else { return nil }
      isSigned = isSigned || field == .attributionSignature || field == .jwsString
      members.append(JSONValue.Member(key: key, value: Self.value(value, of: field)))
    }
    guard isSigned else { return nil }
    body = Array(JSONValue.object(members).description.utf8)
    rest = []
  }

  /// The bytes of a postback that a value is, as JSON or in base64; nil if it is none.
  private static func object(in value: String) -> [UInt8]? {
    var bytes = Array(value.utf8)
    if bytes.starts(with: "eyJ".utf8) {
      guard let decoded = Base64.standard.decoded(bytes) else { return nil }
      bytes = decoded
    }
    guard bytes.first == UInt8(ascii: "{"), case .object(let members)? = try? JSONValue(parsing: bytes) else {
      return nil
    }
    let isSigned = members.contains { $0.key == Field.attributionSignature.name || $0.key == Field.jwsString.name }
    return isSigned ? bytes : nil
  }

  private static func value(_ text: String, of field: Field?) -> JSONValue {
    guard let field else { return .string(text) }
    if numbers.contains(field), let number = Int64(text), number.description == text { return .integer(number) }
    if booleans.contains(field), text == "true" || text == "false" { return .bool(text == "true") }
    return .string(text)
  }
}

/// The form of a body of a forwarder, by its Content-Type and its first byte.
enum BodyForm: Equatable {
  /// JSON, whatever the type says.
  case json
  /// The parameters of a form, as a query has them.
  case form
  /// A form in parts, which is not supported.
  case parts

  /// The media type of a request without its parameters.
  private static func type(of request: HTTPRequest) -> Substring {
    request.values(of: "Content-Type").first?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
  }

  /// Indicates that a request says that its body is a form, which may not be so.
  static func isForm(_ request: HTTPRequest) -> Bool { type(of: request) == "application/x-www-form-urlencoded" }

  /// Reads the form of a request with a decoded body. Programs such as curl say that JSON is a form, so bytes that no encoded form
  /// can have decide.
  init(of request: HTTPRequest, _ body: [UInt8]) {
    switch Self.type(of: request) {
    case "multipart/form-data": self = .parts
    case "application/x-www-form-urlencoded":
      let jsonBytes: Set<UInt8> = [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "\n")]
      let body = body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...]
      self = body.isEmpty || body.contains { jsonBytes.contains($0) } ? .json : .form
    default: self = .json
    }
  }
}

extension [UInt8] {
  /// The parameters of two queries.
  func joined(with other: [UInt8]) -> [UInt8] {
    isEmpty || other.isEmpty ? self + other : self + [UInt8(ascii: "&")] + other
  }
}
