import Testing

@testable import Base

@Suite struct `A word of a shell command` {
  @Test(arguments: [
    ("skan/postback.json", "skan/postback.json"), ("/var/lib/a-b_c+d,e:f@g%h.1", "/var/lib/a-b_c+d,e:f@g%h.1"),
    ("my folder/x", "'my folder/x'"), ("a'b $x", #"'a'\''b $x'"#), ("", "''"), ("~/é", "'~/é'"), ("a;b", "'a;b'"),
  ])
  func `is quoted if the shell would not read it as it is`(_ text: String, _ word: String) {
    #expect(text.shellWord == word)
  }
}
