import Analysis
import FraudSignals
import JSON
import Testing

@testable import ReportPages

@Suite struct `What a case for a partner leaves out` {
  private let mask = CaseMask(isForPartner: true, forwarders: ["own"])

  @Test func `is the names of others, our columns and the sentences about revenue`() {
    #expect(mask.forwarder("own") == "own" && mask.forwarder("x") == CaseMask.other && mask.forwarder(nil) == nil)
    #expect(mask.origin(CopyOrigin(channel: "network_forwarded", forwarder: "x"))?.forwarder == CaseMask.other)
    let row: [JSONValue.Member] = [
      .init("forwarder", .string("x")), .init("skan_revenue", .integer(1)), .init("source_file", .string("/in")),
      .init("transaction_id", .string("t")),
    ]
    #expect(mask.row(row).map(\.key) == ["forwarder", "transaction_id"])
    #expect(mask.row(row).first?.value.text == CaseMask.other)
    // The sentence about revenue says whose values it is of.
    #expect(CaseMethod.method.filter { $0.hasPrefix("Revenue") && $0.contains("not settled") }.count == 1)
    #expect(mask.sentences(CaseMethod.method).count == CaseMethod.method.count - 1)
    #expect(!mask.sentences(CaseMethod.limits).contains { $0.hasPrefix("Revenue") })
  }

  @Test func `is nothing if the case is our own`() {
    let mask = CaseMask(isForPartner: false, forwarders: ["own"])
    let row: [JSONValue.Member] = [.init("skan_revenue", .integer(1))]
    #expect(mask.forwarder("x") == "x" && mask.row(row).count == 1)
    #expect(mask.sentences(CaseMethod.limits) == CaseMethod.limits)
  }
}

@Suite struct `The shell commands of a case` {
  @Test(arguments: [
    ("a-b_1.9", "printf 'a-b_1.9'"), ("-n", #"printf '\055n'"#), ("'; rm x", #"printf '\047\073\040rm\040x'"#),
    ("%s\\", #"printf '\045s\134'"#), ("\u{2063}", #"printf '\342\201\243'"#),
  ])
  func `have no byte of a record unquoted`(_ text: String, _ command: String) {
    #expect(ShellText.printf(Array(text.utf8)) == command)
  }

  @Test func `hold longer bytes in base64`() {
    #expect(ShellText.decode([0, 255, 39]) == "printf %s 'AP8n' | openssl base64 -d -A")
    #expect(ShellText.lines(["a'b", "c"]) == "printf '%s\\n' 'ab' 'c'")
  }
}
