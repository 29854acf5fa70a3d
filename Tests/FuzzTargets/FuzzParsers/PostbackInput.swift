import Base
import JSON

@testable import SKAdNetwork

/// A postback, bare or in an envelope.
struct PostbackInput: ~Copyable {
  nonisolated(unsafe) static var shared = PostbackInput()

  private var parser = PostbackParser(receivedAtField: "timestamp")

  mutating func read(_ text: [UInt8]) {
    // Other bytes before and after the text, which must not matter.
    var bytes = Array("{\"".utf8) + text + [UInt8](repeating: UInt8(ascii: "}"), count: JSONParser.padding)
    do throws(PostbackDefect) {
      check(try parser.parse(2..<2 + text.count, of: &bytes), bytes)
    } catch {
      require([.parse, .schema].contains(error.code.stage), "a defect is one of parsing")
      require(error.found.map { $0.indices.upperBound <= bytes.count } ?? true, "a range is in the bytes")
    }
    let claims = parser.claims
    for range in [claims.adNetworkID, claims.transactionID, claims.appID, claims.version] {
      require(range.map { $0.indices.upperBound <= bytes.count } ?? true, "a range is in the bytes")
    }
  }

  private func check(_ postback: Postback, _ bytes: [UInt8]) {
    var message: [UInt8] = []
    for layout in postback.layouts {
      message.removeAll(keepingCapacity: true)
      postback.appendSignedMessage(layout, of: bytes, to: &message)
      require(!message.isEmpty, "something is signed")
    }
    if let extras = postback.extras {
      let text = Array(bytes[extras.indices])
      require((try? JSONValue(parsing: text)) != nil, "extras are JSON")
      require(!text.contains(UInt8(ascii: "\n")), "extras are on one line")
    }
    let unsigned = UnsignedFields(postback, of: bytes)
    require(unsigned.conflicts(with: unsigned).isEmpty, "fields do not contradict themselves")
    _ = postback.tierFlags
    _ = UnverifiedPostback(postback, of: bytes).fields
  }
}
