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
    var best: (word: String, edits: Int)?
    for word in words where word != self {
      let edits = typed.edits(to: word.foldedForSpelling)
      if edits < best?.edits ?? .max { best = (word, edits) }
    }
    guard let best, best.edits <= max(1, min(typed.count / 3, 3)), best.edits < typed.count else { return nil }
    return best.word
  }

  private static let longestWord = 64

  /// The characters that are compared: in lower case, with `_` read as `-`.
  private var foldedForSpelling: [Character] { lowercased().map { $0 == "_" ? "-" : $0 } }
}

extension [Character] {
  /// The number of edits that turn this word into the other (optimal string alignment).
  fileprivate func edits(to other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array<Int>(0...other.count)
    for row in indices {
      var current = [row + 1]
      for column in other.indices {
        var edits = Swift.min(
          last[column] + (self[row] == other[column] ? 0 : 1),
          last[column + 1] + 1,
          current[column] + 1
        )
        if row > 0, column > 0, self[row] == other[column - 1], self[row - 1] == other[column] {
          edits = Swift.min(edits, beforeLast[column - 1] + 1)
        }
        current.append(edits)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}
