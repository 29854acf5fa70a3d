import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `postback run` {
  private let arguments = ["--models", Fixtures.path("models"), "--received-at", "2026-03-10T00:00:00Z"]

  @Test func `turns Apple's postbacks into tables`() async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(
      ["run", Fixtures.path("postbacks"), "--out", folder.path("out"), "--json"] + arguments
    )
    #expect(result.status == 0)
    #expect(result.errorText.isEmpty)
    let summary = Object(result.text)
    #expect([summary["read"], summary["accepted"], summary["rejected"]] == ["15", "10", "5"])
    #expect(summary["by_code"] == #"{"signature_invalid":2,"development_key":1,"duplicate_transaction":2}"#)
    let rows = try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
    let postbacks = rows.map { Object(Array($0)) }
    #expect(postbacks.count == 10)
    // Apple's 4.0 example for the highest tier has a fine value of 63, in the second version of the model.
    let fine = try #require(postbacks.first { $0["conversion_value"] == "63" })
    #expect([fine["model_version"], fine["skan_revenue"], fine.string("decode_status")] == ["2", "300", "decoded"])
    let lost = try #require(postbacks.first { $0["did_win"] == "false" })
    #expect([lost["skan_revenue"], lost.string("decode_status")] == ["null", "not_won"])
  }

  @Test func `writes rows that are valid by their schemas`() async throws {
    let folder = try TemporaryFolder()
    let inputs = ["postbacks", "forms", "hostile"].map(Fixtures.path)
    let run = try await BuiltCommand.run(
      ["run"] + inputs + ["--out", folder.path("out"), "--format", "both", "--allow-development"] + arguments
    )
    #expect(run.status == 0)
    let validator = Fixtures.path("../Tests/validate.py")
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3", validator, folder.path("out")])
    if result.status == 77 {
      result = try await BuiltCommand.run(executable: "/usr/bin/python3", [validator, folder.path("out")])
    }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains("rows valid"))
  }

  @Test func `reads standard input, with the same result for any number of jobs`() async throws {
    let folder = try TemporaryFolder()
    let input = RealPostback.all.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
    for jobs in ["1", "2", "5"] {
      let result = try await BuiltCommand.run(
        ["run", "-", "--out", folder.path(jobs), "--jobs", jobs, "--format", "both"] + arguments,
        input: input
      )
      #expect(result.status == 0)
    }
    for table in ["skan_postbacks", "skan_events", "skan_rejects"] {
      for format in ["jsonl", "csv"] {
        let parts = try ["1", "2", "5"].map { try folder.contents(of: "\($0)/\(table)/part-00000001.\(format)") }
        #expect(parts[0] == parts[1] && parts[0] == parts[2])
      }
    }
  }

  @Test func `recognises a dump that was compressed after the last run, and reads only what was added`() async throws {
    let folder = try TemporaryFolder()
    func run(_ name: String) async throws -> [String?] {
      let result = try await BuiltCommand.run(
        ["run", folder.path(name), "--out", folder.path("out"), "--json"] + arguments
      )
      #expect(result.status == 0, "\(result.errorText)")
      let summary = Object(result.text)
      return [summary["read"], summary["accepted"]]
    }
    func compress(_ name: String) async throws {
      let result = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", "-f", folder.path(name)])
      #expect(result.status == 0, "\(result.errorText)")
    }
    let lines = RealPostback.all.map { $0.bytes + [UInt8(ascii: "\n")] }
    try folder.makeFile("dump", holding: Array(lines.prefix(10).joined()))
    #expect(try await run("dump").first == "10")
    try await compress("dump")
    #expect(try await run("dump.gz") == ["0", "0"])
    try folder.makeFile("dump.1", holding: Array(lines.joined()))
    try await compress("dump.1")
    #expect(try await run("dump.1.gz").first == "5")
    try folder.makeFile("unpacked", holding: Array(lines.joined()))
    #expect(try await run("unpacked") == ["0", "0"])
  }

  @Test func `has one row for each of tens of thousands of mutated postbacks`() async throws {
    let folder = try TemporaryFolder()
    var generator = SplitMix(seed: 20_260_310)
    let originals =
      RealPostback.all.map(\.bytes)
      + Fixtures.files(in: "hostile").filter { $0.hasSuffix(".jsonl") }.flatMap { Fixtures.lines($0) }
      .filter { $0.count < 4096 }
    var input: [UInt8] = []
    var lines = 0
    while lines < 30_000 {
      var line = originals.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.mutate(&line, among: originals, &generator) }
      // A line that starts with a bracket is read as an array, and a blank one not at all: neither is one record.
      line.removeAll { $0 == UInt8(ascii: "\n") }
      let first = line.first { ![0x20, 0x09, 0x0D].contains($0) }
      guard let first, first != UInt8(ascii: "["), line.last == UInt8(ascii: "}") else { continue }
      input += line + [UInt8(ascii: "\n")]
      lines += 1
    }
    let result = try await BuiltCommand.run(
      ["run", "-", "--out", folder.path("out"), "--json"] + arguments,
      input: input
    )
    #expect(result.status == 0, "\(result.errorText)")
    let summary = Object(result.text)
    let counts = ["read", "accepted", "rejected"].compactMap { summary[$0].flatMap { Int($0) } }
    #expect(counts.count == 3 && counts[0] == lines && counts[1] + counts[2] == lines)
    var seen = Set<Int>()
    for table in ["skan_postbacks", "skan_rejects"] {
      for row in try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n")) {
        #expect(seen.insert(Int(Object(Array(row))["source_line"] ?? "") ?? 0).inserted)
      }
    }
    #expect(seen == Set(1...lines))
  }

  private static func mutate(_ line: inout [UInt8], among others: [[UInt8]], _ generator: inout SplitMix) {
    guard !line.isEmpty else { return }
    let place = Int.random(in: line.indices, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: line[place] = UInt8.random(in: 0...255, using: &generator)
    case 1: line[place] = Array("0123456789-+.eE\"\\{}[],:ntf u".utf8).randomElement(using: &generator) ?? 0
    case 2: line.remove(at: place)
    case 3: line.insert(line[place], at: place)
    case 4:
      let other = others.randomElement(using: &generator) ?? []
      line = line[..<place] + other.suffix(Int.random(in: 0...other.count, using: &generator))
    default:
      let number = ["9223372036854775808", "-1", "1e400", "4294967296", "0.5", "null", "\"\"", "64"]
      line.insert(contentsOf: Array((number.randomElement(using: &generator) ?? "").utf8), at: place)
    }
  }
}
