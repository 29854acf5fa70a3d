/// A text that is equal only to one of the same bytes, and is ordered by them. Two `String`s are equal in different normal forms of
/// Unicode too, so that a key of that type would be the one of the row that comes first.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  package static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    // No text is the beginning of another one.
    hasher.combine(0xFF as UInt8)
  }
}

extension String {
  /// The text as a key by its bytes.
  package var exact: ExactText { ExactText(text: self) }
}
