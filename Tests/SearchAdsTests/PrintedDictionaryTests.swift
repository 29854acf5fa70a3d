import JSON
import Testing

@testable import SearchAds

@Suite struct `Dictionaries as apps print them` {
  /// The keys of the dictionaries of a text, and the texts between them that are none, each with the number of its line.
  private func read(_ text: String) -> (keys: [String], others: [String]) {
    var reader = PrintedDictionary(text)
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

  /// The text and the mark of a repair of `a = "…";`; nil if it is no dictionary.
  private func text(_ printed: String) -> (String?, isRepaired: Bool)? {
    var reader = PrintedDictionary("{\n  a = \"\(printed)\";\n}\n")
    return reader.next().map { ($0["a"]?.text, reader.isRepaired) }
  }

  @Test(arguments: [
    (#"\U00c9t\U00e9 2019"#, "Été 2019"), (#"\U00C9"#, "É"), (#"\Ud83d\Ude00x"#, "😀x"), (#"\U00e90"#, "é0"),
    (#"\303\211t\303\251"#, "Été"), (#"\0339\1"#, "\u{1B}9\u{1}"), (#"\342\202\254"#, "€"),
    (#"l1\nl2\t\r\"q\" b\\c\'"#, "l1\nl2\t\r\"q\" b\\c'"), (#"\\U00e9"#, #"\U00e9"#),
  ])
  func `have escapes in texts, which are decoded`(_ printed: String, _ expected: String) throws {
    let found = try #require(text(printed))
    #expect(found.0 == expected && !found.isRepaired)
  }

  @Test(arguments: [#"\q"#, #"\U00e"#, #"\Ud83d"#, #"\Ude00\Ud83d"#, #"\351"#, #"\777"#, #"a\u00e9"#])
  func `keep an escape that cannot be decoded, and are flagged`(_ printed: String) throws {
    let found = try #require(text(printed))
    #expect(found.0 == printed && found.isRepaired)
  }

  @Test(arguments: [
    (#""Camp “N”""#, "Camp “N”", false), (#""Say “x”; now""#, "Say “x”; now", false),
    (#""„N“ = „M“""#, "„N“ = „M“", false),
    (#""12” pizza""#, "12” pizza", false), (#"“Camp "N" x”"#, #"Camp "N" x"#, true),
    (#"“Camp “N” x”"#, "Camp “N” x", true),
    (#""Light”"#, "Light", true), (#"“Light""#, "Light", true),
  ])
  func `may have quotes within a text, and other quotes around it`(
    _ printed: String,
    _ expected: String,
    _ isRepaired: Bool
  ) throws {
    var reader = PrintedDictionary("{\n  a = 1;\n  \"b\" = \(printed);\n  c = 2;\n}\n")
    let value = reader.next()
    let found = try #require(value)
    #expect(found["b"]?.text == expected && found["c"]?.integer == 2 && reader.isRepaired == isRepaired)
  }

  @Test func `have no line end within a text`() { #expect(text("a\nb") == nil) }
}
