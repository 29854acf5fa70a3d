import Foundation
import TestSupport
import Testing

/// `postback refresh` over an output of which the state alone, or the tables alone, are those of an earlier night.
@Suite struct RefreshRestoreTests {
  private let folder: TemporaryFolder
  private let files = FileManager.default

  /// Refreshes for two nights, and keeps the output as it was after the first one.
  init() async throws {
    folder = try TemporaryFolder()
    try files.createDirectory(atPath: folder.path("dumps"), withIntermediateDirectories: false)
    let text = #"{"inputs": ["\#(folder.path("dumps"))"], "out": "\#(folder.path("out"))"}"#
    try folder.makeFile("postback.json", holding: Array(text.utf8))
    for (night, name) in ["skadnetwork-3.0", "skadnetwork-4.0"].enumerated() {
      let lines = Fixtures.bytes("postbacks/\(name).jsonl")
      try folder.makeFile("dumps/\(night).jsonl", holding: lines + Array("\n{\"rubbish\":\(night)}\n".utf8))
      #expect(try await refresh().status == 0)
      if night == 0 { try files.copyItem(atPath: folder.path("out"), toPath: folder.path("first")) }
    }
  }

  private func refresh() async throws -> (status: Int32, text: String) {
    let result = try await BuiltCommand.run(["refresh", "--config", folder.path("postback.json")])
    return (result.status, result.text + result.errorText)
  }

  /// Puts what the output had after the first night in the place of what it has.
  private func restore(_ name: String) throws {
    try files.removeItem(atPath: folder.path("out/\(name)"))
    try files.moveItem(atPath: folder.path("first/\(name)"), toPath: folder.path("out/\(name)"))
  }

  private func rows() throws -> Int {
    try folder.files(below: "out/skan_postbacks").reduce(0) { count, name in
      try count + folder.contents(of: "out/skan_postbacks/\(name)").split(separator: UInt8(ascii: "\n")).count
    }
  }

  @Test func `names all parts that the state does not know, until none is there`() async throws {
    let before = try rows()
    try restore("_state")
    var parts: [String] = []
    for table in ["skan_postbacks", "skan_events", "skan_rejects"] {
      parts += try folder.files(below: "out/\(table)").filter { $0.contains("00000002") }.map { "\(table)/\($0)" }
    }
    #expect(parts.count > 1)
    while !parts.isEmpty {
      let refused = try await refresh()
      #expect(refused.status == 73 && refused.text.contains("Restore the state of the same backup"), "\(refused.text)")
      #expect(parts.allSatisfy(refused.text.contains), "\(refused.text)")
      try files.removeItem(atPath: folder.path("out/\(parts.removeFirst())"))
    }
    let again = try await refresh()
    #expect(again.status == 0, "\(again.text)")
    #expect(try rows() == before)
    #expect(try await BuiltCommand.run(["state", "check", folder.path("out")]).text == "sound\n")
  }

  @Test func `makes nothing of the rows that an older state knows, with any command`() async throws {
    try restore("_state")
    let out = folder.path("out")
    let derived = try folder.files(below: "out/_derived")
    try folder.makeFile("partners.json", holding: Array(#"{"partners": []}"#.utf8))
    for words in [
      ["settle", out], ["daily", out], ["refresh", out], ["report", out, "--html", folder.path("page.html")],
      ["rejects", out], ["find", out, "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"],
      ["schema", "--dialect", "duckdb", "--from", out], ["state", "backup", out, "--to", folder.path("backup")],
      ["deliver", out, "--once", "--partners", folder.path("partners.json")],
    ] {
      let refused = try await BuiltCommand.run(words)
      #expect(refused.status == 73, "\(words) \(refused.text) \(refused.errorText)")
      #expect(refused.errorText.contains("The ledger does not know "), "\(words) \(refused.errorText)")
    }
    #expect(try folder.files(below: "out/_derived") == derived)
  }

  @Test func `makes nothing of a state from before retain removed parts`() async throws {
    let old = folder.path("dumps/2.jsonl")
    try folder.makeFile("dumps/2.jsonl", holding: Fixtures.bytes("postbacks/skadnetwork-2.2.jsonl"))
    try files.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_735_689_600)], ofItemAtPath: old)
    #expect(try await refresh().status == 0)
    let all = try rows()
    try files.copyItem(atPath: folder.path("out"), toPath: folder.path("backup"))
    let words = ["retain", "--out", folder.path("out"), "--older-than", "200d", "--yes-remove-all"]
    let removed = try await BuiltCommand.run(words)
    #expect(try removed.status == 0 && rows() < all, "\(removed.text) \(removed.errorText)")
    for _ in 0..<2 {
      let derived = try folder.files(below: "out/_derived")
      // The state of before, and then that of after.
      try files.moveItem(atPath: folder.path("out/_state"), toPath: folder.path("kept"))
      try files.copyItem(atPath: folder.path("backup/_state"), toPath: folder.path("out/_state"))
      for words in [["refresh", "--config", folder.path("postback.json")], ["daily", folder.path("out")]] {
        let refused = try await BuiltCommand.run(words)
        #expect(refused.status == 73, "\(words) \(refused.text) \(refused.errorText)")
        #expect(refused.errorText.contains("is older than the removal of "), "\(words) \(refused.errorText)")
      }
      #expect(try folder.files(below: "out/_derived") == derived)
      try files.removeItem(atPath: folder.path("out/_state"))
      try files.moveItem(atPath: folder.path("kept"), toPath: folder.path("out/_state"))
      #expect(try await BuiltCommand.run(["daily", folder.path("out")]).status == 0)
    }
    // A backup has the mark of its state.
    let backup = try await BuiltCommand.run(["state", "backup", folder.path("out"), "--to", folder.path("copy")])
    #expect(backup.status == 0, "\(backup.errorText)")
    #expect(try folder.words(of: "copy/_removal") == folder.words(of: "out/_removal"))
    // With the parts in their places again the state of before is right.
    try files.removeItem(atPath: folder.path("out/_state"))
    for name in ["_state", "skan_postbacks", "skan_events", "skan_rejects"] {
      if name != "_state" { try files.removeItem(atPath: folder.path("out/\(name)")) }
      try files.copyItem(atPath: folder.path("backup/\(name)"), toPath: folder.path("out/\(name)"))
    }
    let again = try await refresh()
    #expect(try again.status == 0 && rows() == all, "\(again.text)")
  }

  @Test func `says each night that committed parts are not in place`() async throws {
    for name in try files.contentsOfDirectory(atPath: folder.path("out")) where name != "_state" { try restore(name) }
    for _ in 1...2 {
      let night = try await refresh()
      #expect(night.status == 0 && night.text.contains(" rows in all are not in place, such as "), "\(night.text)")
      #expect(night.text.contains("postback state check names all that is missing."), "\(night.text)")
    }
  }
}
