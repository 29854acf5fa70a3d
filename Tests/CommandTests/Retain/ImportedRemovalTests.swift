import Base
import Foundation
import JSON
import Tables
import TestSupport
import Testing

/// `postback forget` and `postback retain` on `skan_imported`.
@Suite struct `The removal of rows of vendors' exports` {
  private let folder: TemporaryFolder
  private var out: String { folder.path("out") }
  private static let id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  init() throws { folder = try TemporaryFolder() }

  private func json(_ words: [String]) async throws -> JSONValue {
    let result = try await BuiltCommand.run(words + ["--out", out, "--json"])
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  private func importText(_ text: String, _ vendor: String) async throws {
    let path = try folder.makeFile("\(vendor).csv", holding: Array(text.utf8))
    let result = try await BuiltCommand.run(["import", path, "--vendor", vendor, "--out", out, "--format", "both"])
    #expect(result.status == 0, "\(result.errorText)")
  }

  private func rows() throws -> [Object] {
    Object.lines(try folder.contents(of: "out/skan_imported/part-00000001.jsonl"))
  }

  @Test(arguments: [false, true]) func `forget leaves nothing of a transaction, and masks it in rows of others`(
    _ hasState: Bool
  ) async throws {
    if hasState {
      let words = ["run", Fixtures.path("inputs/branch.csv"), "--mapping", "branch", "--out", out]
      #expect(try await BuiltCommand.run(words).status == 0)
    }
    let text = """
      app_id,version,redownload,transaction_id,note
      1,4.0,false,\(Self.id.uppercased()),mine
      2,4.0,false,other-transaction,beside \(Self.id)
      3,4.0,false,,lost \(Self.id)
      4,4.0,false,,nothing

      """
    try await importText(text, "acme")
    let summary = try await json(["forget", "--transaction-id", Self.id])
    #expect(summary["derived_rows"]?["skan_imported"] == .integer(2))
    #expect(try rows().map { $0["app_id"] } == ["2", "4"])
    let all = try ["jsonl", "csv"].map { ending in
      String(decoding: try folder.contents(of: "out/skan_imported/part-00000001.\(ending)"), as: UTF8.self)
    }
    for text in all { #expect(!text.lowercased().contains("6aafb7a5") && text.contains("beside xxxxxxxx-xxxx")) }
    #expect(try await json(["forget", "--transaction-id", Self.id])["derived_rows"]?["skan_imported"] == .integer(0))
  }

  @Test func `retain removes whole days that are too old, unless they are much`() async throws {
    let run = ["run", Fixtures.path("inputs/branch.csv"), "--mapping", "branch", "--out", out]
    #expect(try await BuiltCommand.run(run).status == 0)
    var text = "received_at,app_id,version,redownload\n,9,4.0,true\n"
    for (app, age) in [(1, 400), (2, 101), (3, 99), (4, 1), (5, 1), (6, 1), (7, 1), (8, 1)] {
      let time = Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(age) * 86_400_000)
      text += "\(time),\(app),4.0,false\n"
    }
    try await importText(text, "acme")
    let words = ["retain", "--older-than", "100d", "--tables", "skan_imported"]
    let refused = try await BuiltCommand.run(words + ["--out", out])
    #expect(refused.status == 1 && refused.errorText.contains("2 of 9 rows of skan_imported"), "\(refused.errorText)")
    #expect(try rows().count == 9)
    var database = FollowerRegistration("postgresql db public", .database, in: "\(out)/_state")
    try database.note([TableCursor(startOf: .postbacks)], isLast: true)
    let removed = try await BuiltCommand.run(words + ["--yes-remove-all", "--out", out, "--json"])
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("removes the rows of skan_imported from the database"), "\(removed.errorText)")
    #expect(try JSONValue(parsing: removed.output)["imported_rows"] == .integer(2))
    #expect(try rows().map { $0["app_id"] } == ["9", "3", "4", "5", "6", "7", "8"])
    #expect(try await json(words)["imported_rows"] == .integer(0))
  }
}
