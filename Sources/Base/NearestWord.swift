extension String {
  /// The word that is meant by this one, if it is mistyped: that with the fewest edits, which are a letter more, less or
  /// another, and two neighbours exchanged. Letter case and the kind of dash do not count.
  ///
  /// Nil where no word is near: with more edits than a third of the letters, or than three.
  package func nearest(among words: some Sequence<String>) -> String? {
    let typed = foldedForSpelling
    // Nobody mistypes a word as long as that, and distances cost the product of the lengths.
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

  /// The letters by which spellings are compared.
  private var foldedForSpelling: [Character] { lowercased().map { $0 == "_" ? "-" : $0 } }
}

extension [Character] {
  /// The edits that make the other word of this one (optimal string alignment).
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
