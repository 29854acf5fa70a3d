internal import JSON

extension JSONValue {
  /// Returns an integer as a JSON number.
  static func integer(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  /// Returns a number rounded to the thousandth; null if it is nil, not finite, or 10¹² and above in magnitude.
  static func decimal(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite, value.magnitude < 1e12 else { return .null }
    return .number("\((value * 1000).rounded() / 1000)")
  }

  /// The value of the first member with this key; nil if there is none, or this is not an object.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text of a string; nil for any other value.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The value of a number that is an integer of 64 bits; nil for any other value.
  var integer: Int64? {
    guard case .number(let text) = self else { return nil }
    return Int64(text)
  }

  /// The value of a number; nil for any other value.
  var decimal: Double? {
    guard case .number(let text) = self else { return nil }
    return Double(text)
  }
}

extension JSONValue.Member {
  /// Creates a member of an object.
  init(_ key: String, _ value: JSONValue) { self.init(key: key, value: value) }
}
