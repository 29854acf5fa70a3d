import JSON
import Testing

@testable import SearchAds

@Suite struct `Dictionaries as apps print them` {
  /// The keys of the dictionaries of a text, and the texts between them that are none, each with the number of its line.
  private func read(_ text: String) -> (keys: [String], others: [String]) {
    var reader = LegacyDictionary(text)
    var (keys, others): ([String], [String]) = ([], [])
    while !reader.isAtEnd() {
      let line = reader.line
      if case .object(let members) = reader.next() {
        keys.append("\(line): \(members.map { $0.key }.joined(separator: " "))")
      } else {
        others.append("\(line): \(reader.skip(from: line))")
      }
    }
    return (keys, others)
  }

  @Test func `are found behind lines that are none`() {
    let found = read("log\n  {\n  a = ;\n\n{ \n a = 1;\n}\n x\n\n{ b\n{\r\n b = 2;\n}\n\n{ c\n\n")
    #expect(found.keys == ["5: a", "11: b"])
    #expect(found.others == ["1: log", "2:   {\n  a = ;\n", "8:  x\n\n{ b", "15: { c\n\n"])
  }

  @Test(.timeLimit(.minutes(1))) func `are found behind as many lines as a file may have`() {
    let count = 200_000
    let found = read(String(repeating: "{\n", count: count) + "{\na = 1;\n}\n")
    #expect(found.keys == ["\(count + 1): a"] && found.others.count == count)
  }
}
