extension Hasher {
  /// Adds a case of an enumeration without associated values, by the bytes that it has in memory. Where an enumeration has texts as
  /// raw values, Swift would hash the text.
  package mutating func combine(case value: some CaseIterable) {
    unsafe withUnsafeBytes(of: value) { unsafe combine(bytes: $0) }
  }
}
