import Foundation
import JSON
import TestSupport
import Testing

@testable import Tables

/// An output with derived tables, and a spool whose files were read.
struct ForgetSite {
  let folder: TemporaryFolder
  let out: String
  let spool: String
  let keys: [String]

  /// Makes the site; `edit` changes the lines of the dump.
  init(options: [String] = [], edit: ([String]) throws -> [String] = { $0 }) async throws {
    folder = try TemporaryFolder()
    (out, spool) = (folder.path("out"), folder.path("spool"))
    let made = try await BuiltCommand.run([
      "generate", "--count", "400", "--seed", "7", "--duplicate", "0.2", "--envelopes", "--out", folder.path("dump"),
      "--keys", folder.path("keys"), "-q",
    ])
    #expect(made.status == 0, "\(made.errorText)")
    keys = try folder.words(of: "keys")
    for name in ["tmp", "new"] {
      try FileManager.default.createDirectory(atPath: "\(spool)/\(name)", withIntermediateDirectories: true)
    }
    let dump = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").map(String.init)
    try folder.makeFile("spool/new/a.jsonl", holding: Array(try edit(dump).map { $0 + "\n" }.joined().utf8))
    try await watch(options)
    let settled = try await BuiltCommand.run(["settle", out])
    #expect(settled.status == 0, "\(settled.errorText)")
  }

  func watch(_ options: [String] = []) async throws {
    let ran = try await BuiltCommand.run(["watch", spool, "--out", out, "--once", "-q"] + keys + options)
    #expect(ran.status == 0, "\(ran.errorText)")
  }

  /// Moves the files out of the folders of their hours, into the place that they had in earlier versions.
  func flattenDone() throws {
    for file in try folder.files(below: "spool/done") {
      let name = file.split(separator: "/").last ?? ""
      guard name != file else { continue }
      try FileManager.default.moveItem(atPath: "\(spool)/done/\(file)", toPath: "\(spool)/done/\(name)")
    }
  }

  func rows(_ table: String) throws -> [Object] {
    try Partitioning.entries(of: "\(out)/\(table)").filter { $0.name.hasSuffix(".jsonl") }.flatMap { entry in
      let path = [table, entry.partition, entry.name].filter { !$0.isEmpty }.joined(separator: "/")
      return try Object.lines(folder.contents(of: "out/\(path)"))
    }
  }

  /// The transaction of an accepted postback with a copy.
  func copied() throws -> (id: String, key: String) {
    let copies = Set(try rows("skan_rejects").compactMap { $0.string("first_seen_postback_key") })
    let row = try #require(
      try rows("skan_postbacks").first { row in
        copies.contains(row.string("postback_key") ?? "") && row.string("framework") == "skadnetwork"
      }
    )
    return (try #require(row.string("transaction_id")), try #require(row.string("postback_key")))
  }

  func forget(_ options: [String]) async throws -> JSONValue {
    let result = try await BuiltCommand.run(["forget", "--out", out, "--spool", spool, "--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  /// The names of the files below the output and the spool that hold a text.
  func files(holding text: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.path(""))?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      guard name.hasPrefix("out/") || name.hasPrefix("spool"),
        let bytes = try? folder.contents(of: name)
      else { return false }
      return String(decoding: bytes, as: UTF8.self).lowercased().contains(text.lowercased())
    }
  }

  func check() async throws -> String { try await BuiltCommand.run(["state", "check", out]).text }
}
