import Analysis
import Foundation
import JSON
import SKAdNetwork
import TestSupport
import Testing

@testable import postback

/// The case file: its numbers against the rows of the tables, and its commands in a shell.
@Suite struct `postback case` {
  @Test func `counts the records of a forwarder as the tables have them`() async throws {
    let site = try await CaseSite.shared.value
    let json = try await site.json(["--where", "forwarder=network-one", "--diagnose-limit", "5"])
    let rejects = site.rejects.filter { $0.cell("forwarder") == "network-one" }
    let postbacks = site.postbacks.filter { $0.cell("forwarder") == "network-one" }
    #expect(rejects.count > 20 && postbacks.count > 100)
    #expect(json["accepted"]?.count == postbacks.count)
    #expect(json["rejected"]?.count == rejects.count)
    #expect(json["read"]?.count == rejects.count + postbacks.count)
    let suspicious = rejects.filter { RejectCode(rawValue: $0.cell("reject_code") ?? "")?.rejectClass == .suspicious }
    #expect(json["rejected_by_class"]?["suspicious"]?.count == suspicious.count)
    let codes = Dictionary(grouping: rejects) { $0.cell("reject_code") ?? "" }.mapValues(\.count)
    let found = json["rejected_by_code"]?.array.map { ($0["reject_code"]?.text ?? "", $0["rejects"]?.count ?? 0) }
    #expect(Dictionary(uniqueKeysWithValues: found ?? []) == codes)
    for day in json["days"]?.array ?? [] {
      let date = day["day"]?.text ?? "none"
      #expect(day["accepted"]?.count == postbacks.count { $0.cell("received_at")?.hasPrefix(date) == true })
      #expect(day["rejected"]?.count == rejects.count { $0.cell("received_at")?.hasPrefix(date) == true })
    }
    let networks = json["senders"]?["ad_network_id"]?.array ?? []
    #expect(networks.reduce(0) { $0 + ($1["accepted"]?.count ?? 0) } == postbacks.count)
    #expect(json["edits"]?["diagnosed"]?.count == 5)
    #expect(json["signals"]?["parties"]?.array.map { $0["name"]?.text } == ["network-one"])
    #expect(json["method"]?.array.isEmpty == false && json["limits"]?.array.isEmpty == false)
  }

  @Test func `takes the first and the last moment from the records, and sums money exactly`() async throws {
    let site = try await CaseSite.shared.value
    let json = try await site.json(["--where", "app_id!=nothing", "--diagnose-limit", "0", "--examples", "0"])
    let times = (site.rejects + site.postbacks).compactMap { $0.cell("received_at") }.sorted()
    #expect(json["first_seen"]?.text == times.first && json["last_seen"]?.text == times.last)
    #expect(json["edits"] == .null && json["examples"]?.array.isEmpty == true)
    let sums = json["revenue"]?.array ?? []
    let valued = site.postbacks.filter { $0.cell("currency") != nil && $0.cell("did_win") != "false" }
    #expect(sums.reduce(0) { $0 + ($1["postbacks"]?.count ?? 0) } == valued.count)
  }

  @Test func `the commands of its JSON verify every version with openssl`() async throws {
    let site = try await CaseSite.shared.value
    guard try await BuiltCommand.run(executable: "/usr/bin/env", ["openssl", "version"]).status == 0 else {
      print("not tested: openssl is not installed")
      return
    }
    let json = try await site.json(["--where", "app_id!=1", "--examples", "80", "--diagnose-limit", "0"])
    let folder = try TemporaryFolder()
    for key in json["keys"]?.array ?? [] { _ = try await shell(key["command"]?.text, in: folder) }
    var verified: [String: Int] = [:]
    var failed: [String: Int] = [:]
    for example in json["examples"]?.array ?? [] {
      let row = try #require(example["row"])
      let kind = "\(row["framework"]?.text ?? "") \(row["version"]?.text ?? "")"
      for command in example["record_commands"]?.array ?? [] {
        let result = try await shell(command.text, in: folder)
        if command.text?.hasPrefix("openssl") == true, let digest = row["raw_sha256"]?.text {
          #expect(result.text.hasPrefix(digest))
        }
      }
      let commands = (example["commands"]?.array ?? []).compactMap(\.text)
      if !commands.isEmpty { #expect(try await shell(commands.joined(separator: "\n"), in: folder).status == 0) }
      for check in example["checks"]?.array ?? [] {
        let result = try await shell(check["command"]?.text, in: folder)
        let answer = result.text.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(answer == check["answer"]?.text, "\(example)")
        if answer == "Verified OK" { verified[kind, default: 0] += 1 } else { failed[kind, default: 0] += 1 }
        if example["reject_code"] == .null { #expect(answer == "Verified OK") }
        if example["reject_code"]?.text == "signature_invalid" { #expect(answer == "Verification failure") }
      }
    }
    for version in ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"] {
      #expect(verified["skadnetwork \(version)"] ?? 0 > 0, "\(version)")
    }
    #expect(verified["adattributionkit "] ?? 0 > 0)
    #expect(failed.values.reduce(0, +) > 5)
  }

  @Test func `the commands of its page print what it says, whatever senders wrote`() async throws {
    let site = try await CaseSite.shared.value
    let folder = try TemporaryFolder()
    let page = folder.path("case.html")
    let all = ["--where", "app_id!=nothing", "--examples", "60", "--diagnose-limit", "5"]
    try await CaseSite.run(["case", site.out, "--html", page] + site.keys + all)
    let followed = try await follow(page)
    #expect(followed["Verified OK"]?.count ?? 0 > 20)
    #expect(followed["Verification failure"]?.count ?? 0 > 5)
    for name in CaseSite.hostile(site.folder.path("pwned")) {
      // A value of a condition may be in double quotes.
      try await CaseSite.run(
        ["case", site.out, "--html", page, "--force", "--where", "forwarder=\"\(name)\""] + site.keys
      )
      #expect(try await follow(page)["Verification failure"]?.count ?? 0 > 0)
    }
    #expect(!FileManager.default.fileExists(atPath: site.folder.path("pwned")))
  }

  @Test func `copies with other values stand side by side, and come before all other examples`() async throws {
    let site = try await CaseSite.shared.value
    let json = try await site.json(["--where", "app_id!=nothing", "--diagnose-limit", "0", "--examples", "6"])
    let (pairs, examples) = (json["pairs"]?.array ?? [], json["examples"]?.array ?? [])
    #expect(pairs.count == 3)
    for (index, pair) in pairs.enumerated() {
      for (side, place, code) in [("rejected", 2 * index, "duplicate_conflict"), ("accepted", 2 * index + 1, nil)] {
        let example = try #require(examples.count > place ? examples[place] : nil)
        #expect(pair[side]?["example"]?.count == place + 1 && example["reject_code"]?.text == code)
        #expect(example["row"]?["transaction_id"] == pair["transaction_id"])
        #expect(example["row"]?["received_at"] == pair[side]?["received_at"])
        #expect(example["checks"]?.array.contains { $0["answer"]?.text == "Verified OK" } == true)
      }
      #expect(pair["accepted"]?["values"] != pair["rejected"]?["values"])
    }
  }

  @Test func `the CSV has every suspicious transaction with both copies`() async throws {
    let site = try await CaseSite.shared.value
    let folder = try TemporaryFolder()
    try await CaseSite.run(
      ["case", site.out, "--html", folder.path("page"), "--csv", folder.path("csv"), "--diagnose-limit", "0"]
        + site.keys
        + ["--where", "reject_code=duplicate_conflict", "--revenue"]
    )
    let lines = String(decoding: try folder.contents(of: "csv"), as: UTF8.self).split(separator: "\r\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    let rejects = site.rejects.filter { $0.cell("reject_code") == "duplicate_conflict" }
    let firsts = Dictionary(site.postbacks.map { ($0.cell("postback_key") ?? "", $0) }) { one, _ in one }
    #expect(lines.count == rejects.count + 1 && rejects.count > 20)
    let header = lines[0]
    for reject in rejects {
      let first = try #require(firsts[reject.cell("first_seen_postback_key") ?? ""])
      let found = lines.contains { line in
        let row = Dictionary(uniqueKeysWithValues: zip(header, line))
        return row["transaction_id"] == reject.cell("transaction_id")
          && row["rejected_received_at"] == reject.cell("received_at")
          && row["accepted_received_at"] == first.cell("received_at")
          && row["accepted_conversion_value"] == first.cell("conversion_value") ?? ""
          && row["accepted_revenue"] == first.cell("skan_revenue") ?? ""
          && row["rejected_forwarder"] == reject.cell("forwarder") ?? ""
      }
      #expect(found, "\(reject)")
    }
  }

  @Test func `the CSV has the copies that a sender sent again late`() async throws {
    let folder = try TemporaryFolder()
    let (dump, out) = (folder.path("dump"), folder.path("out"))
    try await CaseSite.run(
      [
        "generate", "--count", "2000", "--seed", "4", "--campaigns", "10", "--days", "14", "--reporting",
        folder.path("files"), "--fraud", "replay-late,forwarder=adjust,postbacks=30", "--forged", "0", "--edited", "0",
        "--duplicate", "0.05", "--out", dump, "--keys", folder.path("keys"),
      ]
    )
    try await CaseSite.run(["run", dump, "--out", out] + folder.words(of: "keys"))
    let truth = String(decoding: try folder.contents(of: "files/truth_fraud.csv"), as: UTF8.self).split(separator: "\n")
      .dropFirst()
    try await CaseSite.run(
      ["case", out, "--where", "forwarder=adjust", "--html", folder.path("page"), "--csv", folder.path("csv")]
    )
    let lines = String(decoding: try folder.contents(of: "csv"), as: UTF8.self).split(separator: "\r\n")
    let resends = lines.filter { $0.contains(",duplicate_identical,adjust,") }
    #expect(truth.count == 30)
    for line in truth {
      let transaction = try #require(line.split(separator: ",").last)
      #expect(resends.contains { $0.hasPrefix("\(transaction),") }, "\(transaction)")
    }
    // Apple's retries are no late resends.
    #expect(resends.count < truth.count + 5)
  }

  @Test func `a case for a partner has neither revenue nor paths nor names of others, and verifies`() async throws {
    let site = try await CaseSite.shared.value
    let folder = try TemporaryFolder()
    let own = ["--where", "forwarder=network-one", "--for-partner", "--examples", "20", "--diagnose-limit", "5"]
    try await CaseSite.run(["case", site.out, "--html", folder.path("page")] + site.keys + own)
    #expect(try await follow(folder.path("page"))["Verified OK"]?.count ?? 0 > 5)
    let page = String(decoding: try folder.contents(of: "page"), as: UTF8.self)
    let json = "\(try await site.json(own))"
    for text in [page, json] {
      for secret in ["network-two", "measurement-partner", "skan_revenue", site.folder.path(""), "source_file"] {
        #expect(!text.contains(secret), "\(secret)")
      }
    }
    #expect(!page.contains("Revenue of the accepted"))
    for wrong in [["--where", "app_id=1", "--for-partner"], own + ["--csv", folder.path("x"), "--revenue"]] {
      try await CaseSite.run(["case", site.out, "--json"] + wrong, status: 64)
    }
  }

  @Test func `Apple's own examples verify`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    try await CaseSite.run(["run", Fixtures.path("postbacks"), "--keep-raw", "--out", out])
    let page = folder.path("case.html")
    try await CaseSite.run(["case", out, "--where", "version!=9", "--examples", "50", "--html", page])
    let followed = try await follow(page)
    #expect(followed["Verified OK"]?.count ?? 0 >= 6)
  }

  @Test func `hostile postbacks have no check with a wrong answer`() async throws {
    let folder = try TemporaryFolder()
    let (out, page) = (folder.path("out"), folder.path("case.html"))
    try await CaseSite.run(["run", Fixtures.path("hostile"), "--keep-raw", "--out", out])
    try await CaseSite.run(
      ["case", out, "--where", "version!=9", "--examples", "400", "--diagnose-limit", "0", "--html", page]
    )
    #expect(try await follow(page)["Verification failure"]?.count ?? 0 > 3)
  }

  @Test func `its JSON is valid by its schema`() async throws {
    let site = try await CaseSite.shared.value
    let folder = try TemporaryFolder()
    let result = try await CaseSite.run(
      ["case", site.out, "--json", "--where", "forwarder=network-one", "--diagnose-limit", "5"] + site.keys
    )
    let file = try folder.makeFile("case.json", holding: result.output)
    let script = Fixtures.path("../Tests/validate.py")
    let valid = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3", script, "--case", file])
    #expect([0, 77].contains(valid.status), "\(valid.errorText)")
    let schema = try Schema("case")
    guard case .object(let members) = try JSONValue(parsing: result.output) else { return }
    #expect(schema["required"]?.array.map(\.text) == members.map(\.key))
    #expect(schema["properties", "senders", "required"]?.array.map(\.text) == CaseFile.senderColumns)
  }

  @Test func `says that a key is missing instead of calling genuine postbacks forged`() async throws {
    let site = try await CaseSite.shared.value
    let result = try await CaseSite.run(
      ["case", site.out, "--json", "--where", "forwarder=network-one", "--diagnose-limit", "0"]
    )
    let examples = try JSONValue(parsing: result.output)["examples"]?.array ?? []
    let accepted = examples.filter { $0["reject_code"] == .null }
    #expect(!accepted.isEmpty)
    for example in accepted {
      #expect(example["checks"]?.array.isEmpty == true)
      #expect(example["note"]?.text?.contains("trust") == true)
    }
  }

  @Test func `is identical for any number of cores`() async throws {
    let site = try await CaseSite.shared.value
    let query = ["--where", "forwarder=network-two", "--diagnose-limit", "4"] + site.keys
    let one = try await CaseSite.run(["case", site.out, "--html", "-", "--jobs", "1"] + query)
    let three = try await CaseSite.run(["case", site.out, "--html", "-", "--jobs", "3"] + query)
    #expect(one.output == three.output)
  }

  @Test func `names what is wrong with a question, with its exit status`() async throws {
    let site = try await CaseSite.shared.value
    let folder = try TemporaryFolder()
    for (arguments, status, words) in [
      (["case", site.out, "--json"], 64, "--where forwarder=NAME"),
      (["case", "--where", "forwarder=x", "--json"], 64, "No tables"),
      (["case", site.out, "--where", "forwarder=x"], 64, "either --html FILE or --json"),
      (["case", site.out, "--where", "network=x", "--json"], 64, "ad_network_id, transaction_id"),
      (["case", site.out, "--where", "stage=parse", "--json"], 64, "ad_network_id, transaction_id"),
      (["case", site.out, "--where", "forwarder", "--json"], 64, "is not a condition"),
      (
        ["case", site.out, "--where", "forwarder=nobody", "--json"], 66,
        "No record meets the conditions forwarder=nobody"
      ),
      (["case", folder.path("missing"), "--where", "forwarder=x", "--json"], 66, "missing"),
      (["case", "\(site.out)/skan_rejects", "--where", "forwarder=x", "--json"], 64, "--out folders of runs"),
    ] as [([String], Int32, String)] {
      let result = try await CaseSite.run(arguments, status: status)
      #expect(result.errorText.contains(words), "\(result.errorText)")
      #expect(result.output.isEmpty)
    }
    let file = try folder.makeFile("there")
    try await CaseSite.run(["case", site.out, "--where", "forwarder=network-one", "--html", file], status: 73)
    #expect(try folder.contents(of: "there").isEmpty)
  }

  private func shell(_ command: String?, in folder: TemporaryFolder) async throws -> BuiltCommand.Result {
    let script = "cd '\(folder.path("."))' && \(try #require(command))"
    return try await BuiltCommand.run(executable: "/bin/sh", ["-c", script])
  }

  /// Follows the commands of a page, and returns how often each answer was printed.
  private func follow(_ page: String) async throws -> JSONValue {
    let script = Fixtures.path("../Tests/case_in_shell.py")
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3", script, page])
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }
}

extension JSONValue {
  /// A number that counts something.
  fileprivate var count: Int? { integer.map { Int($0) } }
}
