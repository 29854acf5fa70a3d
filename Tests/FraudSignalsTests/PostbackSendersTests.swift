import SKAdNetwork
import Testing

@testable import FraudSignals
@testable import PostbackCopies

@Suite struct `The senders of a postback` {
  private func senders(_ names: [String?]) -> PostbackSenders {
    PostbackSenders(
      names.map { name in
        let isDevice = name == "device"
        return PostbackCopy(
          receivedAt: 0,
          channel: isDevice ? .appleDirect : .networkForwarded,
          forwarder: isDevice ? nil : name,
          values: UnsignedValues(),
          isImpossible: true
        )
      }
    )
  }

  @Test func `what one forwarder alone has sent may be its own act, and no act of the app or the network`() {
    #expect(senders(["orbit"]).areOneForwarder && senders(["orbit", "orbit"]).areOneForwarder)
    for others: [String?] in [["orbit", "device"], ["orbit", "zinc"], ["device"], [nil]] {
      #expect(!senders(others).areOneForwarder && senders(others).haveImpossibleFields)
    }
  }
}
