import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `The command line` {
  @Test(arguments: [
    (["rn"], "Did you mean run?"), (["reprot", "out"], "Did you mean report?"),
    (["modle", "check", "m"], "Did you mean model check?"), (["model", "chek"], "Did you mean model check?"),
    (["check", "m"], "Did you mean config check or model check or plist check or state check?"),
    (["modle"], "Did you mean model?"),
    (["help", "explian"], "Did you mean explain?"),
    (["run", "x", "--out", "o", "--modles", "m"], "Did you mean --models?"),
    (["run", "x", "-json"], "Did you mean --json?"), (["status", "--jsno"], "Did you mean --json?"),
    (["rejects", "out", "--group-by", "forwader"], "Did you mean forwarder?"),
    (["rejects", "out", "--group-by", "recieved_day"], "Did you mean received_day?"),
    (["rejects", "out", "--where", "rejectcode=too_deep"], "Did you mean reject_code?"),
    (["rejects", "out", "--where", "reject_code=signature_invald"], "Did you mean signature_invalid?"),
    (["rejects", "out", "--where", "reject_code!=too_dep"], "Did you mean too_deep?"),
    (["rejects", "out", "--where", "stage in (parse, sigature)"], "Did you mean signature?"),
    (["rejects", "out", "--where", "channel=apple-direct"], "Did you mean apple_direct?"),
    (["rejects", "out", "--where", "stage=nonsense"], "Use one of parse, schema, signature, policy, dedup."),
    (
      ["rejects", "out", "--where", "reject_code==too_deep"],
      "The condition reject_code==too_deep has no operator that exists."
    ),
    (["rejects", "out", "--where", "source_line=>5"], "The condition source_line=>5 has no operator that exists."),
    (["run", "x", "--out", "--json"], "The option --out needs a value, but --json is an option."),
  ])
  func `suggests the nearest name for a mistyped one, and exits with 64`(_ arguments: [String], _ answer: String)
    async throws
  {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 64)
    #expect(result.errorText.contains(answer), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [
    (["out"], "Give --dsn"), (["--dsn", "service=x"], "Give one operand"),
    (["out", "--dsn", "postgresql://loader:secret@db.example/reports"], "PGPASSWORD"),
    (["out", "--dsn", "no address"], "cannot be read"),
    (["out", "--dsn", "service=x", "--schema", ""], "It must be a name of 1 to 63 bytes"),
    (["out", "--dsn", "service=x", "--tables", "skan_dayli"], "Did you mean skan_daily?"),
    (["out", "--dsn", "service=x", "--tables", ""], "There is no table"),
  ])
  func `refuses a load with wrong options, and exits with 64`(_ arguments: [String], _ answer: String) async throws {
    let result = try await BuiltCommand.run(["load", "postgres"] + arguments)
    #expect(result.status == 64)
    #expect(result.errorText.contains(answer), "\(result.errorText)")
    #expect(!result.errorText.contains("secret"))
  }

  @Test func `exits with 74 if no database can be reached`() async throws {
    let site = try await RejectsSite.shared.value
    let output = site.folder.path("out")
    let address = "host=\(output) dbname=reports"
    let result = try await BuiltCommand.run(["load", "postgres", output, "--dsn", address])
    #expect(result.status == 74)
    #expect(result.errorText.contains("Start the server, or check --dsn."), "\(result.errorText)")
  }

  @Test(arguments: ["frobnicate", "x", ""]) func `suggests nothing if no name is similar`(_ word: String) async throws {
    let result = try await BuiltCommand.run([word])
    #expect(result.status == 64)
    #expect(result.errorText == "postback: There is no command \(word). See postback --help.\n")
  }

  @Test func `takes a condition whose quoted value begins like a comparison`() async throws {
    let site = try await RejectsSite.shared.value
    #expect(try await site.answer(["--where", #"found="=5""#])["rejects"]?.integer == 0)
  }

  @Test(arguments: [["help", "run"], ["help", "model", "check"], ["help", "state", "compact"]])
  func `prints the same with help COMMAND and COMMAND --help`(_ arguments: [String]) async throws {
    let help = try await BuiltCommand.run(arguments)
    #expect(help.status == 0)
    #expect(help.text == (try await BuiltCommand.run(arguments.dropFirst() + ["--help"]).text))
  }

  @Test(arguments: ["model", "state"]) func `lists the commands of a group`(_ group: String) async throws {
    let bare = try await BuiltCommand.run([group])
    #expect(bare.status == 64)
    #expect(bare.errorText.contains("  \(group) check "))
    for asked in [["help", group], [group, "--help"]] {
      let help = try await BuiltCommand.run(asked)
      #expect(help.status == 0)
      #expect(help.text.contains("  \(group) check ") && !help.text.contains("  rejects "))
    }
  }

  @Test func `accepts -o for --out, with or without a space before the value`() async throws {
    let folder = try TemporaryFolder()
    let input = Fixtures.path("postbacks")
    for option in [["-o", folder.path("a")], ["-o\(folder.path("b"))"]] {
      #expect(try await BuiltCommand.run(["run", input] + option).status == 0)
    }
    #expect(try folder.names == ["a", "b"])
    let report = try await BuiltCommand.run(["report", folder.path("a"), "-o", folder.path("page.html")])
    #expect(report.status == 0)
  }

  @Test func `prints only results and warnings with --quiet`() async throws {
    let folder = try TemporaryFolder()
    let key =
      "k=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg=="
    let input = ["run", Fixtures.path("postbacks"), "--received-at", "2026-03-10T00:00:00Z", "--allow-development"]
    let run = input + ["--models", Fixtures.path("models"), "--out", folder.path("out")]
    let quiet = try await BuiltCommand.run(run + ["--quiet"])
    #expect(quiet.status == 0)
    #expect(quiet.output.isEmpty && quiet.errorOutput.isEmpty)
    let asked = try await BuiltCommand.run(run + ["-q", "--json"])
    #expect(try JSONValue(parsing: asked.output)["read"]?.integer == 0)
    let warned = try await BuiltCommand.run(input + ["-q", "-o", folder.path("without models")])
    #expect(warned.output.isEmpty && warned.errorText.contains("--models"))
    let failed = try await BuiltCommand.run([
      "run", folder.path("missing"), "--trust-key", key, "-q", "-o", folder.path("o"),
    ])
    #expect(failed.status == 66)
    #expect(failed.errorText.contains("missing"))
  }

  @Test func `accepts a date in place of a time`() async throws {
    let folder = try TemporaryFolder()
    let run = ["run", Fixtures.path("postbacks"), "--out", folder.path("out"), "--received-at", "2026-03-10"]
    #expect(try await BuiltCommand.run(run).status == 0)
    let rejects = try await BuiltCommand.run(["rejects", folder.path("out"), "--json", "--since", "2026-03-10"])
    #expect(try JSONValue(parsing: rejects.output)["first_seen"]?.text == "2026-03-10T00:00:00Z")
  }

  @Test func `finds the state from the tables`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    _ = try await BuiltCommand.run(["run", Fixtures.path("postbacks"), "--out", out])
    let status = try await BuiltCommand.run(["status", out, "--json"])
    #expect(try JSONValue(parsing: status.output)["state"]?.text == "\(out)/_state")
    #expect(try await BuiltCommand.run(["state", "check", out]).text.hasSuffix("sound\n"))
    #expect(try await BuiltCommand.run(["state", "check", out, "--state", "\(out)/_state"]).status == 0)
    #expect(try await BuiltCommand.run(["state", "compact", out, "--before", "2026-03-10"]).status == 0)
    #expect(try await BuiltCommand.run(["state", "check", out, "--out", out]).status == 64)
  }

  @Test(arguments: [
    ("{\n  \"app_id\": 1,\n  \"model_id\" \"x\"\n}", "line 3, column 14: expected a colon after the key"),
    ("[{}\n {}]", "line 2, column 2: expected a comma or ]"),
    ("{\"a\": 1,}", "line 1, column 9: expected a key in double quotes"),
    ("{\"é\": nul}", "line 1, column 7: expected a value"),
    ("{\"a\":\n\"b\n\"}", "line 2, column 3: expected a closing double quote"),
    ("{\"a\":1,\n \"a\":2}", "the key \"a\" twice in one object, again at line 2, column 2"),
    ("{} {}", "line 1, column 4: text after the end"),
  ])
  func `names the line and column of a defect in JSON`(_ text: String, _ problem: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("settings.json", holding: Array(text.utf8))
    for command in [["model", "check", file], ["serve", "--config", file]] {
      let result = try await BuiltCommand.run(command)
      #expect(result.status == 65)
      #expect(result.errorText.contains(problem), "\(result.errorText)")
    }
    let check = try await BuiltCommand.run(["model", "check", file, "--json"])
    #expect(try JSONValue(parsing: check.output)["problems"]?.array.first?["file"]?.text == file)
  }

  @Test func `overwrites a report with --force, and without it refuses`() async throws {
    let folder = try TemporaryFolder()
    let (out, page) = (folder.path("out"), try folder.makeFile("page.html", holding: [0x78]))
    _ = try await BuiltCommand.run(["run", Fixtures.path("postbacks"), "--out", out])
    let refused = try await BuiltCommand.run(["report", out, "--html", page])
    #expect(refused.status == 73)
    #expect(refused.errorText.contains("Give --force to overwrite it"))
    #expect(try folder.contents(of: "page.html") == [0x78])
    #expect(try await BuiltCommand.run(["report", out, "--html", page, "--force"]).status == 0)
    #expect(try folder.contents(of: "page.html").starts(with: Array("<!doctype".utf8)))
    #expect(try await BuiltCommand.run(["report", out, "--html", "/dev/null", "--force"]).status == 73)
  }

  @Test func `lists with --json exactly the parts that a run wrote`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    func parts(_ input: String) async throws -> [String?] {
      let run = ["run", Fixtures.path(input), "--out", out, "--format", "both", "--json"]
      return try JSONValue(parsing: try await BuiltCommand.run(run).output)["parts"]?.array.map(\.text) ?? []
    }
    func names(_ number: Int) -> [String] {
      ["postbacks", "events", "rejects"].flatMap { table in
        ["csv", "jsonl"].map { "\(out)/skan_\(table)/part-0000000\(number).\($0)" }
      }
    }
    #expect(try await parts("postbacks/skadnetwork-4.0.jsonl") == names(1))
    #expect(try await parts("postbacks/skadnetwork-3.0.jsonl") == names(2).filter { $0.contains("postbacks") })
    #expect(try await parts("postbacks/skadnetwork-3.0.jsonl") == [])
    for name in names(1) { #expect(FileManager.default.fileExists(atPath: name)) }
  }
}
