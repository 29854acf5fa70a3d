import DerivedTables
import DurableFiles
import TestSupport
import Testing

@testable import PostbackView

extension DailyStore {
  /// The rows of `skan_daily` with these members, by install date in window 0 on 2026-03-06 unless they say otherwise.
  static func holding(_ rows: [String], settings: String, dimensions: String) async throws -> DailyStore {
    let folder = try TemporaryFolder(holdingDaily: rows, settings: settings, dimensions: dimensions)
    return try #require(try await DailyStore(DerivedSnapshot(of: folder.path("out")), jobs: 1))
  }
}

extension TemporaryFolder {
  /// A folder with the table `skan_daily` of these rows in the output `out`.
  convenience init(holdingDaily rows: [String], settings: String, dimensions: String) throws {
    try self.init()
    let lines = rows.map { row in
      let usual = [
        #""date_type":"install""#, #""postback_sequence_index":0"#, #""date":"2026-03-06""#,
      ].filter { !row.contains($0.prefix { $0 != ":" }) }
      return "{" + (usual + [#""dimensions":"\#(dimensions)""#, row]).joined(separator: ",") + "}\n"
    }
    _ = try DurableFolder(making: path("out/skan_daily"))
    try makeFile("out/skan_daily/part-00000001.jsonl", holding: Array(lines.joined().utf8))
    try makeFile(
      "out/skan_daily/_summary.json",
      holding: Array(#"{"settings":["\#(settings)"],"rows_digest":""}"#.utf8)
    )
  }
}
