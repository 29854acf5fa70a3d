internal import JSON

extension JSONValue {
  /// An integer.
  static func integer(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  /// A number to the thousandth; null where there is none, or it is not finite.
  static func decimal(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite, value.magnitude < 1e12 else { return .null }
    return .number("\((value * 1000).rounded() / 1000)")
  }

  /// The first member of an object with a key.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text, where it is a string.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The number, where it is an integer.
  var integer: Int64? {
    guard case .number(let text) = self else { return nil }
    return Int64(text)
  }

  /// The number, where it is one.
  var decimal: Double? {
    guard case .number(let text) = self else { return nil }
    return Double(text)
  }
}

extension JSONValue.Member {
  /// A member.
  init(_ key: String, _ value: JSONValue) { self.init(key: key, value: value) }
}
