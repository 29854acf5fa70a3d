import Base
import JSON
import SKAdNetwork

@testable import PostbackServer

/// A body of a device or a forwarder, and the lines that the receiver makes of it.
struct EnvelopeInput: ~Copyable {
  nonisolated(unsafe) static var shared = EnvelopeInput()

  private let writer = EnvelopeLineWriter()
  private let limits = ForwarderLimits(ServerConfiguration())
  private let client = IPAddress(high: 0x2001_0db8 << 32, low: 1)
  private var parser = JSONParser(names: [])
  private var document = JSONDocument()

  /// A query, a line feed, and the body of a device.
  mutating func read(_ input: [UInt8]) {
    let query = input.prefix { $0 != UInt8(ascii: "\n") }
    let body = Array(input.dropFirst(query.count + 1))
    var lines: [UInt8] = []
    writer.append(body.span, reception(query, .appleDirect), to: &lines)
    check(lines, count: 1)
    // A body that is not kept as JSON is kept as it is, in base64.
    guard case .object(let members) = try? JSONValue(parsing: lines),
      case .string(let base64) = members.first(where: { $0.key == "body_base64" })?.value
    else { return }
    var decoded: [UInt8] = []
    require(Base64.standard.decode(Array(base64.utf8).span, appendingTo: &decoded), "base64 is base64")
    require(decoded == body, "the body is kept as it is")
  }

  /// A byte that chooses the coding, and the body of a forwarder.
  mutating func readForwarded(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let body = Array(input.dropFirst())
    do {
      var forwarded = try ForwardedBody(reception([], .networkForwarded), limits, writer)
      try forwarded.read(body.span, choice & 1 == 0 ? .identity : .gzip)
      check(forwarded.lines, count: forwarded.count)
    } catch {
      let refusal = ForwardedBody.Refusal(of: error)
      require((400..<500).contains(refusal.response.status), "a body is refused as the sender's error")
    }
  }

  private func reception(_ query: some Sequence<UInt8>, _ channel: Channel) -> Reception {
    let target = "/v1/postbacks?" + String(decoding: Array(query), as: UTF8.self)
    return Reception(HTTPRequest(method: "POST", target: target, client: client), channel, forwarder: "fuzz")
  }

  private mutating func check(_ lines: [UInt8], count: Int) {
    var bytes = lines + [UInt8](repeating: 0, count: JSONParser.padding)
    var (start, found) = (0, 0)
    while let end = bytes[start..<lines.count].firstIndex(of: UInt8(ascii: "\n")) {
      do throws(JSONDefect) {
        try parser.parse(start..<end, of: &bytes, into: &document, replacingLoneSurrogates: true)
      } catch {
        fatalError("a line is JSON: \(error)")
      }
      require(document.root.kind == .object, "a line is an object")
      (start, found) = (end + 1, found + 1)
    }
    require(found == count && start == lines.count, "each postback is a line")
  }
}
