import Base
import DurableFiles
import Foundation
import JSON
import TestSupport
import Testing

@testable import Ledger
@testable import Tables
@testable import postback

@Suite(.serialized) struct `postback retain` {
  /// Two outputs of runs, one of them received long ago.
  private struct Site {
    let folder: TemporaryFolder
    let out: String
    let dump: [String]
    let keys: [String]

    init(options: [String] = []) async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      let made = try await BuiltCommand.run([
        "generate", "--count", "600", "--seed", "7", "--out", folder.path("dump"), "--keys", folder.path("keys"), "-q",
      ])
      #expect(made.status == 0, "\(made.errorText)")
      keys = try folder.words(of: "keys")
      dump = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").map { "\($0)\n" }
      try await run("old", dump.prefix(300), at: "2024-02-03T10:00:00Z", options)
      try await run("new", dump.suffix(300), at: "2026-11-01T10:00:00Z", options)
    }

    func run(_ name: String, _ lines: some Sequence<String>, at time: String, _ options: [String] = []) async throws {
      try folder.makeFile(name, holding: Array(lines.joined().utf8))
      let ran = try await BuiltCommand.run(
        ["run", folder.path(name), "--out", out, "--received-at", time, "-q"] + keys + options
      )
      #expect(ran.status == 0, "\(ran.errorText)")
    }

    func retain(_ options: [String] = ["--older-than", "400d"]) async throws -> JSONValue {
      let result = try await BuiltCommand.run(["retain", "--out", out, "--json", "--yes-remove-all"] + options)
      #expect(result.status == 0, "\(result.errorText)")
      return try JSONValue(parsing: result.output)
    }

    func check() async throws -> String {
      try await BuiltCommand.run(["state", "check", out]).text
    }

    func rows(_ table: String) throws -> [Object] {
      try Partitioning.entries(of: "\(out)/\(table)").filter { $0.name.hasSuffix(".jsonl") }.flatMap { entry in
        let path = [table, entry.partition, entry.name].filter { !$0.isEmpty }.joined(separator: "/")
        return try Object.lines(folder.contents(of: "out/\(path)"))
      }
    }
  }

  @Test func `leaves out of the signals the days of which only some rows are left`() async throws {
    let site = try await Site()
    func signals() async throws -> (text: String, errors: String) {
      let result = try await BuiltCommand.run(["rejects", site.out, "--signals"])
      return (result.text, result.errorText)
    }
    #expect(try await !signals().text.contains("Not tested is what was received before"))
    _ = try await site.retain(["--older-than", "400d", "--tables", "skan_postbacks,skan_events"])
    let told = try await signals()
    #expect(told.text.contains("Not tested is what was received before 2024-02-"), "\(told.text)")
    #expect(told.errors.contains("were removed because of their age"), "\(told.errors)")
  }

  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]])
  func `removes old parts as a whole, and still knows their postbacks`(_ options: [String]) async throws {
    let site = try await Site(options: options)
    let before = try site.rows("skan_postbacks")
    let answer = try await site.retain()
    #expect(answer["parts"] != .integer(0))
    for table in ["skan_postbacks", "skan_rejects"] {
      let rows = try site.rows(table)
      #expect(!rows.isEmpty && rows.allSatisfy { $0.string("received_at")?.hasPrefix("2026") == true })
    }
    #expect(try await site.check() == "sound\n")
    #expect(try await site.retain()["parts"] == .integer(0))
    // A replay in another order: everything is a duplicate or a reject, as it was.
    let kept = try site.rows("skan_postbacks").count
    #expect(kept < before.count)
    try await site.run("again", site.dump.prefix(300).reversed(), at: "2026-11-02T10:00:00Z", options)
    #expect(try site.rows("skan_postbacks").count == kept)
    #expect(try await site.check() == "sound\n")
  }

  @Test func `what was made of tables from which rows went meanwhile is not published`() async throws {
    let site = try await Site()
    let command = try DailyCommand(Arguments([site.out, "--environment", "custom"], for: DailyCommand.manual))
    let work = try DerivedWork(command.derived, for: [DailyCommand.self], progress: nil)
    let answer = try await command.write(in: work, ProgressLine())
    #expect(answer.rows > 0)
    #expect(try await site.retain()["parts"] != .integer(0))
    let failure = #expect(throws: FileFailure.self) { try work.commit([DailyCommand.self]) }
    #expect(failure?.kind == .locked && failure?.description.contains("Give the command again") == true)
    #expect(try !Directory.names(in: site.out).contains("skan_daily"))
  }

  @Test func `a part that was removed before it was read is told as a removal`() async throws {
    let site = try await Site()
    let command = try DailyCommand(Arguments([site.out, "--environment", "custom"], for: DailyCommand.manual))
    let work = try DerivedWork(command.derived, for: [DailyCommand.self], progress: nil)
    #expect(try await site.retain()["parts"] != .integer(0))
    let failure = await #expect(throws: FileFailure.self) {
      try await work.reading { _ = try await command.write(in: work, ProgressLine()) }
    }
    #expect(failure?.kind == .locked && failure?.description.contains("Rows were removed") == true)
  }

  @Test func `leaves no sample of removed rejects behind a page`() async throws {
    let site = try await Site()
    let daily = try await BuiltCommand.run(["daily", site.out, "--environment", "custom", "-q"])
    let report = try await BuiltCommand.run(["report", site.out, "--html", site.folder.path("page.html"), "-q"])
    #expect(daily.status == 0 && report.status == 0, "\(daily.errorText) \(report.errorText)")
    let kept = try Directory.names(in: "\(site.out)/_derived/page")
    #expect(!kept.isEmpty)
    #expect(try await site.retain()["parts"] != .integer(0))
    let names = try Directory.names(in: "\(site.out)/_derived")
    #expect(!names.contains("page"))
  }

  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]])
  func `keeps old parts in an archive, also where nearly all of them go`(_ options: [String]) async throws {
    let site = try await Site(options: options)
    let archive = site.folder.path("archive/of/parts")
    func files(_ below: String) throws -> [String: [UInt8]] {
      let names = try site.folder.files(below: below).filter { $0.hasPrefix("skan_") && !$0.contains("/.") }
      return try Dictionary(uniqueKeysWithValues: names.map { ($0, try site.folder.contents(of: "\(below)/\($0)")) })
    }
    let before = try files("out")
    let command = ["retain", "--out", site.out, "--json", "--older-than", "400d", "--archive"]
    let refused = try await BuiltCommand.run(command + [site.out])
    #expect(refused.status != 0 && refused.errorText.contains("the folder of the tables itself"))
    #expect(try files("out") == before)
    // An interrupted removal has left a copy.
    let copied = try #require(
      before.keys.first { $0.hasPrefix("skan_postbacks/") && $0.contains("part-00000001") && !$0.hasSuffix(".csv") }
    )
    let place = URL(filePath: "\(archive)/\(copied)")
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(before[copied] ?? []).write(to: place)
    let result = try await BuiltCommand.run(command + [archive])
    #expect(result.status == 0, "\(result.errorText)")
    let (left, kept) = (try files("out"), try files("archive/of/parts"))
    #expect(!kept.isEmpty && !left.isEmpty && kept.count + left.count == before.count)
    #expect(left.merging(kept) { $1 } == before)
    #expect(try await site.check() == "sound\n")
    // Another output has parts of the same names.
    let other = try await Site(options: options)
    let taken = try await BuiltCommand.run(["retain", "--out", other.out, "--older-than", "400d", "--archive", archive])
    #expect(taken.status == 65 && taken.errorText.contains("has another part of this name"), "\(taken.errorText)")
    #expect(try files("archive/of/parts") == kept)
    #expect(try await other.check() == "sound\n")
  }

  @Test func `tells a follower what went, and lets it continue`() async throws {
    let site = try await Site()
    var cursors: [TableCursor] = []
    var count = 0
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state") {
      count += element.rows.rows.count
      cursors.append(element.cursor)
    }
    let cursor = try #require(cursors.last)
    _ = try await site.retain()
    try await site.run("more", [], at: "2026-11-02T10:00:00Z")
    var removals: [TableRemoval] = []
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state", after: cursor) {
      removals += element.removals
      #expect(element.rows.rows.isEmpty)
      #expect(element.cursor.generation == 1)
    }
    #expect(removals.map(\.reason) == [.retention])
    #expect(removals.flatMap(\.parts).map(\.part.number) == [1])
    var rest = 0
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state") {
      rest += element.rows.rows.count
    }
    #expect(rest > 0 && Int64(rest) + (removals.first?.parts.first?.part.rows ?? 0) == Int64(count))
  }

  @Test func `daily keeps the results of days whose rows were removed`() async throws {
    let site = try await Site()
    func report() async throws -> [String] {
      let result = try await BuiltCommand.run(["daily", site.out, "--environment", "custom"])
      #expect(result.status == 0, "\(result.errorText)")
      return try Object.lines(site.folder.contents(of: "out/skan_daily/part-00000001.jsonl"))
        .filter { $0.string("date")?.hasPrefix("2024") == true }.map(\.text)
    }
    let before = try await report()
    #expect(!before.isEmpty)
    _ = try await site.retain()
    let after = try await report()
    #expect(after.count == before.count)
    for (row, earlier) in zip(after, before) {
      #expect(
        try JSONValue(parsing: Array(row.utf8))["postbacks"] == JSONValue(parsing: Array(earlier.utf8))["postbacks"]
      )
    }
  }

  @Test func `other costs of removed days are told`() async throws {
    let site = try await Site()
    func daily(_ cost: Int?) async throws -> String {
      var words = [
        "daily", site.out, "--environment", "custom", "--dimensions", "network_name,campaign_id", "--replace",
      ]
      if let cost {
        let text = "date,network_name,campaign_id,currency,cost\n2024-02-01,A,1,USD,\(cost)\n2026-10-30,A,1,USD,7\n"
        try site.folder.makeFile("cost.csv", holding: Array(text.utf8))
        words += ["--cost", site.folder.path("cost.csv")]
      } else {
        words.append("--reset")
      }
      let result = try await BuiltCommand.run(words)
      #expect(result.status == 0, "\(result.errorText)")
      return result.errorText
    }
    _ = try await daily(5)
    _ = try await site.retain()
    #expect(try await !daily(5).contains("in the file of costs"))
    let other = try await daily(6)
    #expect(other.contains("before 2024-02-04 cost 5 USD in skan_daily, and 6 USD in the file of costs"), "\(other)")
    #expect(try await daily(nil).contains("cost 5 USD in skan_daily, and no costs are given"))
  }

  @Test func `what comes later for removed days is told with its number`() async throws {
    let site = try await Site()
    #expect(FileManager.default.fileExists(atPath: "\(site.out)/_state/reserve"))
    func call(_ words: [String]) async throws -> BuiltCommand.Result {
      let result = try await BuiltCommand.run(words)
      #expect(result.status == 0, "\(result.errorText)")
      return result
    }
    /// Reads another dump, all of it received at a time; returns the warnings.
    func add(seed: Int, at time: String) async throws -> (accepted: Int64, errors: String) {
      let (dump, keys) = (site.folder.path("dump-\(seed)"), "keys-\(seed)")
      _ = try await call([
        "generate", "--count", "200", "--seed", "\(seed)", "--out", dump, "--keys", site.folder.path(keys), "-q",
      ])
      let ran = try await call(
        ["run", dump, "--out", site.out, "--received-at", time, "--json"] + site.folder.words(of: keys)
      )
      return (try JSONValue(parsing: ran.output)["accepted"]?.integer ?? 0, ran.errorText)
    }
    let daily = ["daily", site.out, "--environment", "custom", "--json"]
    _ = try await call(daily)
    _ = try await site.retain()
    #expect(try await !add(seed: 8, at: "2024-02-10T10:00:00Z").errors.contains("removed because of their age"))
    let told = try await call(daily)
    let missing = try #require(try JSONValue(parsing: told.output)["after_removed_install_days"]?.integer)
    let remark = "\(missing) postbacks are in no row by install date"
    #expect(missing > 0 && told.errorText.contains(remark), "\(told.errorText)")
    #expect(told.errorText.contains("keep 51 days or more"), "\(told.errorText)")
    var sums: [String: Int] = [:]
    for row in try Object.lines(site.folder.contents(of: "out/skan_daily/part-00000001.jsonl")) {
      sums[row.string("date_type") ?? "", default: 0] += Int(row["postbacks"] ?? "") ?? 0
    }
    #expect(Int64(sums["received", default: 0] - sums["install", default: 0]) == missing, "\(sums)")
    // The results of the day of the newest removed row stay, too.
    for (seed, time) in [(9, "2024-01-20T10:00:00Z"), (10, "2024-02-03T23:00:00Z")] {
      let late = try await add(seed: seed, at: time)
      let sentence = "\(late.accepted) postbacks were received before 2024-02-04, and rows of these days were removed"
      #expect(late.accepted > 0 && late.errors.contains(sentence), "\(late.errors)")
    }
    #expect(try await !add(seed: 11, at: "2024-02-04T00:00:00Z").errors.contains("removed because of their age"))
    // The counts of values begin with the days whose rows are left, and say so once.
    let new = "skan_daily_values is new, and has only the days that are calculated now."
    #expect(try await call(daily + ["--histogram"]).errorText.contains(new))
    #expect(try await !call(daily + ["--histogram"]).errorText.contains("is new"))
  }

  @Test func `waits for a follower that has not read old rows`() async throws {
    let site = try await Site()
    let state = "\(site.out)/_state"
    func followers(_ options: [String] = []) async throws -> JSONValue {
      let result = try await BuiltCommand.run(["state", "followers", site.out, "--json"] + options)
      #expect(result.status == 0, "\(result.errorText)")
      return try JSONValue(parsing: result.output)["followers"] ?? .null
    }
    #expect(try await followers() == .array([]))
    try Follower("a \"base\"/1", .database, at: [TableCursor(startOf: .postbacks)]).write(in: state)
    let rows = try site.rows("skan_postbacks").count
    let first = try await site.retain()
    guard case .array(let waiting)? = first["waiting"], let entry = waiting.first else {
      Issue.record("nothing waits: \(first)")
      return
    }
    #expect(waiting.count == 1 && entry["follower"] == .string("a \"base\"/1") && entry["rows"] != .integer(0))
    // Other tables are not awaited.
    #expect(try site.rows("skan_postbacks").count == rows && first["rows"] != .integer(0))
    #expect(try await site.check() == "sound\n")
    // A file that a crash has emptied is waited for, too.
    try site.folder.makeFile("out/_state/followers/empty.json", holding: [])
    #expect(try await site.retain()["rows"] == .integer(0))
    #expect(try await followers(["--remove", "empty"]) != .array([]))
    // A follower that has read all is not.
    let ends = try TableCursor.ends(of: [.postbacks], in: site.out, state: state)
    try Follower("a \"base\"/1", .database, at: ends).write(in: state)
    let second = try await site.retain()
    #expect(second["waiting"] == .array([]) && second["rows"] != .integer(0))
    #expect(try site.rows("skan_postbacks").count < rows)
    #expect(try await followers(["--remove", "a \"base\"/1"]) == .array([]))
    let unknown = try await BuiltCommand.run(["state", "followers", site.out, "--remove", "none"])
    #expect(unknown.status == 66)
  }

  @Test func `does not wait with --without-waiting, and a follower learns how many rows it has missed`() async throws {
    let site = try await Site()
    let state = "\(site.out)/_state"
    try Follower("late", .database, at: [TableCursor(startOf: .rejects)]).write(in: state)
    #expect(try await site.retain(["--older-than", "400d", "--tables", "skan_rejects"])["rows"] == .integer(0))
    let gone = try await site.retain(["--older-than", "400d", "--tables", "skan_rejects", "--without-waiting"])
    for cursor in [nil, TableCursor(startOf: .rejects)] {
      let feed = TableFeed(.rejects, in: site.out, state: state, after: cursor)
      let missed = try await feed.reduce(0) { $0 + $1.missed.count }
      #expect(missed > 0 && gone["rows"] == .integer(missed))
    }
  }

  @Test func `waits for daily, which counts rows once`() async throws {
    let site = try await Site()
    func daily() async throws {
      let result = try await BuiltCommand.run(["daily", site.out, "-q"])
      #expect(result.status == 0, "\(result.errorText)")
    }
    try await daily()
    try await site.run("more", site.dump.prefix(310).suffix(10), at: "2024-02-04T10:00:00Z")
    guard case .array(let waiting)? = try await site.retain()["waiting"] else {
      Issue.record("retain does not say for whom it waits")
      return
    }
    #expect(waiting.map { $0["follower"] } == [.string("daily")])
    try await daily()
    #expect(try await site.retain()["waiting"] == .array([]))
  }

  @Test func `removes only from the tables that are named`() async throws {
    let site = try await Site()
    let accepted = try site.rows("skan_postbacks").count
    _ = try await site.retain(["--older-than", "400d", "--tables", "skan_rejects"])
    #expect(try site.rows("skan_postbacks").count == accepted)
    let old = try site.rows("skan_rejects").filter { $0.string("received_at")?.hasPrefix("2026") != true }
    // The copies of postbacks that are there still count.
    let keys = Set(try site.rows("skan_postbacks").compactMap { $0.string("postback_key") })
    #expect(!old.isEmpty && old.allSatisfy { $0.string("first_seen_postback_key").map(keys.contains) ?? false })
    #expect(try await site.check() == "sound\n")
  }

  @Test func `completes what a crash has interrupted, and check only notes it`() async throws {
    let site = try await Site()
    let part = "out/skan_postbacks/part-00000001.jsonl"
    let bytes = try site.folder.contents(of: part)
    _ = try await site.retain()
    // As if the crash came before the file was removed.
    try site.folder.makeFile(part, holding: bytes)
    do {
      let ledger = try Ledger(existing: StateFolder(existing: "\(site.out)/_state"))
      try ledger.database.execute("UPDATE removed_parts SET pending = 1")
    }
    let check = try await site.check()
    #expect(check.hasPrefix("note: ") && check.hasSuffix("sound\n") && !check.contains("problem"))
    try await site.run("more", [], at: "2026-11-02T10:00:00Z")
    #expect(!FileManager.default.fileExists(atPath: site.folder.path(part)))
    #expect(try await site.check() == "sound\n")
  }

  @Test func `refuses while a consumer uses the state`() async throws {
    let watch = try WatchSite()
    let process = try watch.start()
    try await watch.waitFor("watching")
    let result = try await BuiltCommand.run(["retain", "--out", watch.folder.path("out"), "--older-than", "1d"])
    #expect(result.status == 75, "\(result.errorText)")
    process.terminate()
  }

  @Test(arguments: ["400", "0d", "-1d", "d", "99999d", "1w"])
  func `refuses an age that is none`(_ age: String) async throws {
    let result = try await BuiltCommand.run(["retain", "--out", "out", "--older-than", age])
    #expect(result.status == 64 && result.errorText.contains("400d"))
  }

  @Test func `the consumer removes old rows and files itself`() async throws {
    let site = try await Site()
    for name in ["spool/tmp", "spool/new", "spool/done", "spool/failed"] {
      try FileManager.default.createDirectory(atPath: site.folder.path(name), withIntermediateDirectories: true)
    }
    for words in [["daily", site.out, "--environment", "custom"], ["report", site.out, "--html", "-"]] {
      #expect(try await BuiltCommand.run(words).status == 0)
    }
    #expect(try Directory.names(in: "\(site.out)/_derived").contains("page"))
    let watch = ["watch", site.folder.path("spool"), "--out", site.out, "--once", "--retain", "400d"] + site.keys
    let kept = try site.rows("skan_postbacks").count
    let refused = try await BuiltCommand.run(watch)
    #expect(refused.errorText.contains("retention_refused: Nothing was removed: "))
    #expect(refused.errorText.contains("reason=share"))
    #expect(try site.rows("skan_postbacks").count == kept)
    // As if the last removal ended a day before.
    do {
      let ledger = try Ledger(existing: StateFolder(existing: "\(site.out)/_state"))
      let end = Timestamp.now.milliseconds - 401 * 86_400_000
      for table in Table.all { try ledger.recordRemoval(.rows(ofTable: table.name), before: end) }
    }
    let result = try await BuiltCommand.run(watch)
    #expect(result.status == 0 && result.errorText.contains("removed_old"), "\(result.errorText)")
    #expect(try !Directory.names(in: "\(site.out)/_derived").contains("page"))
    #expect(try site.rows("skan_postbacks").allSatisfy { $0.string("received_at")?.hasPrefix("2026") == true })
    #expect(try await site.check() == "sound\n")
  }
}
