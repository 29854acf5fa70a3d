internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

/// The content of a SKAdNetwork postback.
struct SKAdNetworkContent: SignedContent {
  let framework = Framework.skAdNetwork
  let values: [Field: String]
  let forms: [[Reencoding]]
  let fields: [Field]

  /// The values of each form, indexed by the field's raw value.
  private let texts: [[String?]]

  init(_ arrived: ArrivedPostback) { self.init(arrived.values, retyped: arrived.retyped) }

  init(_ values: [Field: String], retyped: [Field] = []) {
    self.values = values
    // An unknown version may have been any.
    let signed = Self.rules(values[.version])?.signedFields ?? Framework.skAdNetwork.signedFields
    fields = signed.filter { $0 != .version }
    var texts: [[String?]] = [Field.allCases.map { values[$0] }]
    let notes = retyped.map { Reencoding(.retyped, $0) }
    var forms = [notes]
    let zeros = FormatRules.fillable.filter { values[$0] != nil && values[$0] == $0.type.filler }
    if !zeros.isEmpty {
      // Apple leaves out what is not there: this is the likelier.
      var without = texts[0]
      for field in zeros { without[field.rawValue] = nil }
      texts.insert(without, at: 0)
      forms.insert(notes + zeros.map { Reencoding(.zeroFilled, $0) }, at: 0)
    }
    self.texts = texts
    self.forms = forms
  }

  /// The rules of the version with that number, or of 1.0 without one; nil if there is no such version.
  static func rules(_ version: String?) -> FormatRules? {
    guard let version = version.map({ Version(rawValue: $0) }) ?? .v1_0 else { return nil }
    return PostbackFormat.skAdNetwork(version).rules
  }

  var likelyFormCount: Int { forms.count }

  func implied(by form: Int) -> [Change] { [] }

  func append(_ variant: Variant, on curve: Curve, to message: inout [UInt8]) -> Bool {
    guard let rules = Self.rules(text(.version, variant)), rules.isSignedWithP192 == (curve == .p192) else {
      return false
    }
    rules.appendSignedText(to: &message) { field, message in
      guard let text = text(field, variant) else { return false }
      message.append(copying: text.utf8.span)
      return true
    }
    return true
  }

  private func text(_ field: Field, _ variant: Variant) -> String? {
    for change in variant.changes where change.field == field { return change.value }
    return texts[variant.form][field.rawValue]
  }

  func postback(_ variant: Variant, signature: [UInt8]) -> [UInt8] {
    var json: [UInt8] = Array("{".utf8)
    let version = text(.version, variant).flatMap { Version(rawValue: $0) } ?? .v1_0
    for field in [.version] + version.signedFields.filter({ $0 != .version }) {
      guard let value = field == .version ? version.rawValue : text(field, variant) else { continue }
      json.appendJSONString(field.name)
      json.append(UInt8(ascii: ":"))
      field.type.append(value, to: &json, escapingSlashes: false)
      json.append(UInt8(ascii: ","))
    }
    json.appendJSONString(Field.attributionSignature.name)
    json.append(UInt8(ascii: ":"))
    json.appendJSONString(Base64.standard.encode(SignatureForm.der.bytes(ofRaw: signature))[...])
    json.append(UInt8(ascii: "}"))
    return json
  }

  /// Changes to another version, with values for the fields that it requires and that did not arrive; and the exchange
  /// of a source domain with a source app that arrived under the other's name.
  var special: [[[Change]]] {
    var special: [[[Change]]] = []
    for version in Version.allCases where version.rawValue != values[.version] ?? Version.v1_0.rawValue {
      var units = [[Change(field: .version, value: version.rawValue)]]
      for field in version.signedFields where values[field] == nil {
        guard let choices = Self.choices(field) else { continue }
        units = units.flatMap { unit in choices.map { unit + [Change(field: field, value: $0)] } }
      }
      special.append(units)
    }
    // Where a domain belongs stands a number, or the other way about.
    if let app = values[.sourceAppID], values[.sourceDomain] == nil, app.contains(".") {
      special.append([[Change(field: .sourceAppID, value: nil), Change(field: .sourceDomain, value: app)]])
    } else if let domain = values[.sourceDomain], values[.sourceAppID] ?? "0" == "0", Int64(domain) != nil {
      special.append([[Change(field: .sourceDomain, value: nil), Change(field: .sourceAppID, value: domain)]])
    }
    return special
  }

  /// Returns all possible values of a field that every postback of a version has; nil for a field that is optional or
  /// has too many values.
  private static func choices(_ field: Field) -> [String]? {
    let choices = field.type.values ?? Alternatives.all(field, digits: 2)
    return choices.isEmpty ? nil : choices
  }
}
