package import JSON

/// The problems that were found in a file, and the checks of single values that add to them.
package struct ConfigurationProblems {
  private let file: String
  /// The problems, each as `FILE: POINTER: SENTENCE`, or `FILE: SENTENCE` for the file as a whole.
  package private(set) var found: [String] = []

  /// Makes an empty list for a file.
  package init(file: String) { self.file = file }

  /// Adds a problem of a value.
  package mutating func note(_ node: JSONNode, _ problem: String) {
    found.append([file, node.pointer, problem].filter { !$0.isEmpty }.joined(separator: ": "))
  }

  /// Checks that a value is an object without other keys than these.
  package mutating func isObject(_ node: JSONNode, keys: [String], called name: String) -> Bool {
    guard let members = node.members else {
      note(node, "The value must be an object.")
      return false
    }
    for (key, member) in members where !keys.contains(key) {
      note(member, "\(name) has no such key. Its keys are \(keys.joined(separator: ", ")).")
    }
    return true
  }

  /// The elements of an array; none if the key is absent.
  package mutating func list(_ node: JSONNode) -> [JSONNode] {
    guard node.value != nil else { return [] }
    guard let elements = node.elements else {
      note(node, "The value must be an array.")
      return []
    }
    return elements
  }

  /// The text of a string as `parse` reads it; nil if the key is absent, or there is a problem.
  package mutating func text<Value>(
    _ node: JSONNode,
    _ expected: String,
    isRequired: Bool = false,
    _ parse: (String) -> Value?
  ) -> Value? {
    if node.value == nil, !isRequired { return nil }
    if let text = node.value?.text, let value = parse(text) { return value }
    note(node, "The value \(node.value == nil ? "is missing. It must be" : "must be") \(expected).")
    return nil
  }

  /// One of a few words.
  package mutating func word(_ node: JSONNode, of words: [String]) -> String? {
    text(node, "one of \(words.joined(separator: ", "))") { words.contains($0) ? $0 : nil }
  }

  /// An array of at least one of a few words, each once; nil if the key is absent.
  package mutating func words(_ node: JSONNode, of words: [String]) -> Set<String>? {
    guard node.value != nil else { return nil }
    let elements = list(node)
    let found = elements.compactMap { word($0, of: words) }
    if elements.isEmpty, node.elements != nil { note(node, "The array must have at least one element.") }
    return Set(found)
  }

  /// True or false; nil if the key is absent, or there is a problem.
  package mutating func boolean(_ node: JSONNode) -> Bool? {
    guard let value = node.value else { return nil }
    if case .bool(let value) = value { return value }
    note(node, "The value must be true or false.")
    return nil
  }

  /// An integer in a range; nil if the key is absent, or there is a problem.
  package mutating func integer(_ node: JSONNode, in range: ClosedRange<Int64>) -> Int64? {
    guard let value = node.value else { return nil }
    if let integer = value.integer, range.contains(integer) { return integer }
    note(node, "The value must be an integer from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }

  /// A number in a range; nil if the key is absent, or there is a problem.
  package mutating func number(_ node: JSONNode, in range: ClosedRange<Double>) -> Double? {
    guard let value = node.value else { return nil }
    if let number = value.decimal, range.contains(number) { return number }
    note(node, "The value must be a number from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }
}
