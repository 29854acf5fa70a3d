import Base
import Glibc
import PostbackPipeline
import TestSupport

extension Parser {
  /// Good and bad inputs to begin with.
  var seeds: [[UInt8]] {
    switch self {
    case .postback: Self.postbacks
    case .envelope: Self.postbacks.map { Array("campaign=summer&a=%20\n".utf8) + $0 }
    case .forwarded: Self.forms
    case .json: Self.postbacks + Self.models
    case .csv: Self.tables
    case .framing: Self.postbacks.map { [7] + $0 } + [[3] + Fixtures.bytes("forms/array.json")]
    case .reading: Self.pieces.flatMap { piece in [0, 12, 2, 3].map { [$0] + piece } }
    case .model: Self.models
    case .rates: [Fixtures.bytes("costs/rates.csv")]
    case .lookups:
      zip(["apps", "source_apps", "networks", "campaigns"], UInt8(0)...).flatMap { name, choice in
        [
          [choice] + Fixtures.bytes("lookups/\(name).csv"),
          [choice | 4] + Array(#"[{"app_id":1,"app_name":"a"}]"#.utf8),
        ]
      }
    case .cost:
      [
        [0] + Fixtures.bytes("costs/cost.csv"),
        [5] + Array(#"[{"date":"2026-03-06","cost":-1.5,"currency":"USD"}]"#.utf8),
      ]
    case .signature: Self.signatures
    case .diagnosis: Self.postbacks
    case .query:
      Self.texts(
        "platform=iOS&bundle_id=com.example.puzzle&event=purchase&first_call=1772000000&last_call=1772003600&v=1",
        "platform=iOS&bundle_id=a&event=__SESSION__&first_call=2&revenue=%7B%22USD%22%3A9.99%7D&p0_coarse=2&fine=63"
      )
    case .head:
      Self.texts(
        "POST /v1/postbacks?a=b HTTP/1.1\nHost: example.com\nContent-Length: 12\nX-Forwarded-For: 1.2.3.4, [::1]:80\n",
        "GET / HTTP/1.0\nTransfer-Encoding: chunked\nContent-Encoding: gzip, identity\n10.0.0.0/8\n2001:db8::/32\n"
      )
    case .configuration: [Self.serverConfiguration]
    case .names:
      Self.texts(
        "serve-01772000000000000-0000000001-0123abcd.jsonl",
        "skan_postbacks:0:3:18230",
        "2026-03-10T00:00:00.123Z",
        "2026-03-10",
        "-12.345600"
      )
    case .ledger:
      (0..<50).flatMap { column in
        [
          [column, 0, 255, 255, 255, 255, 255, 255, 255, 255], [column, 0, 127, 255, 255, 255, 255, 255, 255, 255],
          [column, 0, 0, 0, 0, 16, 0, 0, 0, 0], [column, 1, 0], [column, 2, 97], [column, 3, 0],
        ]
      }
    case .seen: [[3] + Self.seenLog, [0] + [UInt8](repeating: 0, count: 16)]
    }
  }

  private static let forms: [[UInt8]] = [
    (0, "forms/object.json"), (0, "forms/array.json"), (0, "forms/objects.json"), (1, "forms/lines.jsonl.gz"),
    (1, "hostile/cut-short.jsonl.gz"),
  ].map { (choice: UInt8, file: String) in [choice] + Fixtures.bytes(file) }

  private static func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private static let postbacks =
    Fixtures.files(in: "postbacks").filter { $0.hasSuffix(".jsonl") }.flatMap(Fixtures.lines)
    + Fixtures.lines("forms/envelopes.jsonl")
    + Fixtures.files(in: "hostile").filter { $0.hasSuffix(".jsonl") }.flatMap(Fixtures.lines).filter { $0.count < 3000 }

  /// The starts of files of all forms.
  private static let pieces = ["forms", "hostile"].flatMap { folder in
    Fixtures.files(in: folder).map { Array(Fixtures.bytes($0).prefix(1000)) }
  }

  private static let models = Fixtures.files(in: "models").map(Fixtures.bytes)

  private static let tables =
    (Fixtures.files(in: "lookups") + Fixtures.files(in: "costs")).map(Fixtures.bytes)
    + texts("a,\"b\"\"c\",\r\n\"d\ne\",f\n", "\"", "\"a\"b,\n")

  /// The signatures of real postbacks, and keys, as base64.
  private static let signatures =
    postbacks.compactMap { line -> [UInt8]? in
      let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      guard let name = parts.firstIndex(where: { $0.elementsEqual("attribution-signature".utf8) }),
        name + 2 < parts.count
      else { return nil }
      return [0] + parts[name + 2].filter { $0 != UInt8(ascii: "\\") }
    }
    + texts(
      "0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoG8deJ61LuBRGR5Zq7TOyveCkJlvA4A5mpAPRp8xVXJD3t9FWpQ9PJQxu40mY2Lw95S3gU6u2BXrW+9khjWTzw=="
    )

  private static let serverConfiguration = Array(
    #"""
    {"listen": "127.0.0.1:8080", "spool": "spool", "models": ["models"], "rates": "rates.csv",
     "apps": {"com.example.puzzle": 1661087323}, "sdk_keys": ["key"], "trusted_proxies": ["127.0.0.1", "::1/128"],
     "forwarders": [{"name": "network-a", "bearer_token_file": "/dev/null"}],
     "limits": {"requests_per_minute": 6000, "request_burst": 1000}}
    """#.utf8
  )

  private static let seenLog =
    Array("pbseen\0\0".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + (0..<96).map { UInt8(truncatingIfNeeded: $0 * 37) }
}

/// The function that libFuzzer calls at its start: writes the seeds into the folder that `POSTBACK_FUZZ_SEEDS` names.
@c(LLVMFuzzerInitialize)
public func writeSeeds(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let folder = unsafe getenv("POSTBACK_FUZZ_SEEDS").map({ unsafe String(cString: $0) }) else { return 0 }
  for (number, seed) in Parser.chosen.seeds.enumerated() { SmallFile.write(seed, to: "\(folder)/seed-\(number)") }
  return 0
}
