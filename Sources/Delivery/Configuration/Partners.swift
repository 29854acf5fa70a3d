internal import DurableFiles
internal import Glibc
internal import JSON

/// The partners of a configuration file (schemas/partners.schema.json).
package struct Partners: Sendable {
  /// The partners in the order of the file.
  package let all: [Partner]

  /// Partners without a file.
  init(_ all: [Partner]) { self.all = all }

  /// Reads a file. The error has every problem in it.
  package init(
    reading path: String,
    environment: (String) -> String? = { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  ) throws(PartnersErrors) {
    var problems = PartnersProblems(file: path)
    let root: JSONNode
    let text: [UInt8]
    do throws(FileFailure) { text = try WholeFile.read(path, upTo: 4 << 20) } catch {
      throw PartnersErrors(problems: ["\(error)"])
    }
    do throws(JSONDefect) { root = JSONNode(value: try JSONValue(parsing: text), pointer: "") } catch {
      throw PartnersErrors(problems: ["\(path): \(error.advice(in: text))"])
    }
    var partners: [Partner] = []
    if problems.isObject(root, keys: Self.keys, called: "The configuration") {
      if root["partners"].value == nil { problems.note(root["partners"], "The array of partners is missing.") }
      for node in problems.list(root["partners"]) {
        guard let partner = PartnerReader.read(node, environment, &problems) else { continue }
        if partners.contains(where: { $0.id == partner.id }) {
          problems.note(node["id"], "Another partner has this id already.")
        }
        partners.append(partner)
      }
    }
    guard problems.found.isEmpty else { throw PartnersErrors(problems: problems.found) }
    all = partners
  }

  static let keys = ["partners"]
}

/// The problems of a file of partners.
package struct PartnersErrors: Error, CustomStringConvertible {
  /// One or more problems, each as `FILE: POINTER: SENTENCE`, or `FILE: SENTENCE` for the file as a whole.
  package let problems: [String]

  /// The problems, one on each line.
  package var description: String { problems.joined(separator: "\n") }
}

/// The problems that were found in a file, and the checks of single values that add to them.
struct PartnersProblems {
  let file: String
  private(set) var found: [String] = []

  init(file: String) { self.file = file }

  mutating func note(_ node: JSONNode, _ problem: String) {
    found.append([file, node.pointer, problem].filter { !$0.isEmpty }.joined(separator: ": "))
  }

  /// Checks that a value is an object without other keys than these.
  mutating func isObject(_ node: JSONNode, keys: [String], called name: String) -> Bool {
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
  mutating func list(_ node: JSONNode) -> [JSONNode] {
    guard node.value != nil else { return [] }
    guard let elements = node.elements else {
      note(node, "The value must be an array.")
      return []
    }
    return elements
  }

  /// The text of a string as `parse` reads it; nil if the key is absent, or there is a problem.
  mutating func text<Value>(
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
  mutating func word(_ node: JSONNode, of words: [String]) -> String? {
    text(node, "one of \(words.joined(separator: ", "))") { words.contains($0) ? $0 : nil }
  }

  /// An array of at least one of a few words, each once; nil if the key is absent.
  mutating func words(_ node: JSONNode, of words: [String]) -> Set<String>? {
    guard node.value != nil else { return nil }
    let elements = list(node)
    let found = elements.compactMap { word($0, of: words) }
    if elements.isEmpty, node.elements != nil { note(node, "The array must have at least one element.") }
    return Set(found)
  }

  mutating func boolean(_ node: JSONNode) -> Bool? {
    guard let value = node.value else { return nil }
    if case .bool(let value) = value { return value }
    note(node, "The value must be true or false.")
    return nil
  }

  mutating func integer(_ node: JSONNode, in range: ClosedRange<Int64>) -> Int64? {
    guard let value = node.value else { return nil }
    if let integer = value.integer, range.contains(integer) { return integer }
    note(node, "The value must be an integer from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }

  mutating func number(_ node: JSONNode, in range: ClosedRange<Double>) -> Double? {
    guard let value = node.value else { return nil }
    if let number = value.decimal, range.contains(number) { return number }
    note(node, "The value must be a number from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }
}
