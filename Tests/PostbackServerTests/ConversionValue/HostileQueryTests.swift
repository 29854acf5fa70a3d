import Base
import JSON
import PostbackServer
import TestSupport
import Testing

@Suite struct HostileQueryTests {
  private static let model = ModelFile.model([
    ModelFile.window0(["", ModelFile.event("a", 1, 1), ModelFile.revenue("1", nil)], coarse: ["", ""]),
    ModelFile.window(1, ["", ModelFile.event("a", 1, nil)]),
    ModelFile.window(2, ["", ModelFile.event("a", 1, nil)], keys: #""cumulative":true,"#),
  ])

  /// Returns a query with some bytes changed, inserted and removed, and sometimes in another order.
  private static func query(_ random: inout SplitMix) -> String {
    var call = Call(
      Bool.random(using: &random) ? .v1 : .v2,
      age: .random(in: -1000...4_000_000, using: &random),
      with: ["p1_total_iap_revenue": #"{"USD":9.99,"EUR":0}"#, "p1_coarse": "1"]
    )
    if Int.random(in: 0..<10, using: &random) == 0 { call.parameters.shuffle(using: &random) }
    var bytes = Array(call.query.utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let index = Int.random(in: bytes.indices, using: &random)
      let length = Int.random(in: 0...3, using: &random)
      let new = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let byte = UInt8.random(in: 0...255, using: &random)
        return Bool.random(using: &random) ? byte : "%&=+0{\"-".utf8.randomElement(using: &random) ?? byte
      }
      bytes.replaceSubrange(index..<min(index + length, bytes.count), with: new)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `every query gets an answer in JSON, the same each time`() throws {
    let api = try ConversionValueAPI(Self.model)
    var random = SplitMix(seed: 5)
    let now = Timestamp(milliseconds: Int64(Call.now) * 1000)
    var (good, bad) = (0, 0)
    for _ in 0..<4000 {
      let query = Self.query(&random)
      for version in ConversionValueVersion.allCases {
        let answer = api.answer(version, query: query, now: now)
        guard case .object(let members) = try JSONValue(parsing: answer.body) else { throw Unexpected(query) }
        let values = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
        switch values["status"] {
        case .string("ok"):
          guard case .number(let value) = values["conversion_value"], (0...63).contains(Int(value) ?? -1) else {
            throw Unexpected(query)
          }
          good += 1
        case .string("error"):
          guard case .string(let reason) = values["reason"], !reason.isEmpty, members.count == 2 else {
            throw Unexpected(query)
          }
          bad += 1
        default: throw Unexpected(query)
        }
        #expect(answer == api.answer(version, query: query, now: now))
      }
    }
    #expect(good > 500 && bad > 500)
  }

  @Test(arguments: ["", "&", "=", "%", "?", "\u{0}", "i", "p=iOS", String(repeating: "&", count: 100_000)])
  func `a query without parameters is refused`(_ query: String) throws {
    #expect(try ConversionValueAPI(Self.model).text(query: query).contains("Invalid parameter"))
  }

  @Test func `a deeply nested total is refused`() throws {
    let deep = String(repeating: #"{"USD":"#, count: 10_000)
    #expect(
      try ConversionValueAPI(Self.model).text(Call(with: ["p0_total_iap_revenue": deep]))
        == #"{"status":"error","reason":"Conversion Management: Invalid parameter p0_total_iap_revenue given"}"#
    )
  }

  private struct Unexpected: Error {
    let query: String
    init(_ query: String) { self.query = query }
  }
}
