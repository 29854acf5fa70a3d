import Base
import Testing

@Suite struct `The nearest word` {
  @Test(arguments: [
    ("rn", "run"), ("modle", "model"), ("reprot", "report"), ("--modles", "--models"), ("--jason", "--json"),
    ("signature_invald", "signature_invalid"), ("reject-code", "reject_code"), ("RUN", "run"),
  ])
  func `is found for a misspelled word`(_ typed: String, _ meant: String) {
    let words = [
      "run", "report", "rejects", "model", "--models", "--model", "--json", "signature_invalid", "reject_code",
    ]
    #expect(typed.nearest(among: words) == meant)
  }

  @Test(arguments: ["", "x", "ls", "nonsense", "frobnicate", String(repeating: "run", count: 1000)])
  func `is not found for a dissimilar word`(_ typed: String) {
    #expect(typed.nearest(among: ["run", "report", "rejects", "model check"]) == nil)
  }
}
