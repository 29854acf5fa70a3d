extension String {
  /// The word that is nearest to this one, for suggestions about mistyped words: the one with the fewest edits. An
  /// edit adds, drops or replaces a letter, or exchanges two neighbours. Letter case, and `_` in place of `-`, do not
  /// count.
  ///
  /// Nil where the nearest word has more edits than a third of the letters (one is allowed in any word of two or more)
  /// or than three, or where this one is empty or longer than 64 characters.
  package func nearest(among words: some Sequence<String>) -> String? {
    let typed = foldedForSpelling
    // A text of that length is no mistyped word, and the cost grows with the product of the lengths.
    guard (1...Self.longestWord).contains(typed.count) else { return nil }
    let most = min(max(1, min(typed.count / 3, 3)), typed.count - 1)
    var best: (word: String, edits: Int)?
    for word in words where word != self {
      guard let edits = typed.edits(to: word.foldedForSpelling, atMost: most) else { continue }
      if edits < best?.edits ?? .max { best = (word, edits) }
    }
    return best?.word
  }

  private static let longestWord = 64

  /// The characters that are compared: in lower case, with `_` read as `-`.
  private var foldedForSpelling: [Character] { lowercased().map { $0 == "_" ? "-" : $0 } }
}

extension [Character] {
  /// Returns the number of edits that turn this word into the other (optimal string alignment); nil if they are more than
  /// `most`.
  fileprivate func edits(to other: [Character], atMost most: Int) -> Int? {
    // Each letter more or less is an edit.
    guard abs(count - other.count) <= most else { return nil }
    var beforeLast: [Int] = []
    var last = Array<Int>(0...other.count)
    for row in indices {
      var current = [Int](repeating: row + 1, count: other.count + 1)
      for column in other.indices {
        var edits = Swift.min(
          last[column] + (self[row] == other[column] ? 0 : 1),
          last[column + 1] + 1,
          current[column] + 1
        )
        if row > 0, column > 0, self[row] == other[column - 1], self[row - 1] == other[column] {
          edits = Swift.min(edits, beforeLast[column - 1] + 1)
        }
        current[column + 1] = edits
      }
      // Later numbers follow from these two rows, and none is smaller.
      guard current.contains(where: { $0 <= most }) || last.contains(where: { $0 <= most }) else { return nil }
      (beforeLast, last) = (last, current)
    }
    return last[other.count] <= most ? last[other.count] : nil
  }
}
