internal import JSON

/// A place in a JSON text: `$`, then members as `.name` or `['name']`, and elements as `[0]`.
struct JSONPath: Hashable, Sendable {
  enum Component: Hashable, Sendable {
    case member([UInt8])
    case element(Int)
  }

  /// The greatest number of components.
  private static let limit = 16

  let components: [Component]

  /// Parses a path; nil if it is none.
  init?(_ text: String) {
    var rest = text[...]
    guard rest.popFirst() == "$" else { return nil }
    var components: [Component] = []
    while let first = rest.popFirst() {
      switch first {
      case ".":
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        components.append(.member(Array(name.utf8)))
        rest = rest.dropFirst(name.count)
      case "[":
        guard let end = rest.firstIndex(of: "]") else { return nil }
        let inner = rest[..<end]
        if inner.count > 2, inner.first == "'", inner.last == "'" {
          components.append(.member(Array(inner.dropFirst().dropLast().utf8)))
        } else {
          guard let index = Int(inner), (0..<1_000_000).contains(index) else { return nil }
          components.append(.element(index))
        }
        rest = rest[rest.index(after: end)...]
      default: return nil
      }
    }
    guard components.count <= Self.limit else { return nil }
    self.components = components
  }
}

extension JSONDocument {
  /// Returns the member or the element of the root that a component names; nil if there is none.
  func value(_ component: JSONPath.Component, of bytes: [UInt8]) -> JSONField? {
    switch component {
    case .member(let name): members.first { bytes[$0.key.text.indices].elementsEqual(name) }?.value
    case .element(let index): root.kind == .array && index < members.count ? members[index].value : nil
    }
  }
}
