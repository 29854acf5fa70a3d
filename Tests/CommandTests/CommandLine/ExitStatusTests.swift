import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `Exit statuses` {
  @Test(arguments: [
    [], ["nonsense"], ["run"], ["run", "x"], ["run", "x", "--out"], ["run", "x", "--out", ""],
    ["run", "x", "--out", "o", "--format", "xml"], ["run", "x", "--out", "o", "--jobs", "0"],
    ["run", "x", "--out", "o", "--jobs", "99999999999999999999"], ["run", "x", "--out", "o", "--no-such-option"],
    ["run", "x", "--out", "o", "--json=yes"], ["run", "x", "--out", "o", "--trust-key", "nothing"],
    ["run", "x", "--out", "o", "--received-at", "yesterday"], ["run", "x", "--out", "o", "--allow-app", "one"],
    ["explain", "a", "b"], ["explain", "--line", "0"], ["model", "check"], ["model"],
    ["serve"], ["serve", "spool"], ["serve", "--spool", "s", "--listen", "8080"],
    ["serve", "--spool", "s", "--out", "o"],
    ["serve", "--spool", "s", "--watch"], ["serve", "--spool", "s", "--metrics-file", "m"],
  ])
  func `64 for a wrong command line, with the reason`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 64)
    #expect(result.errorText.hasPrefix("postback: "))
    #expect(result.output.isEmpty)
  }

  @Test(
    arguments: [
      (["serve", "--log-format", "json"], 64), (["serve", "--log-format=json", "--no-such-option"], 64),
      (["watch", "/nowhere", "--out", "o", "--log-format", "text", "--log-format", "json"], 66),
      (["serve", "--spool", "/nowhere", "--quiet", "--log-level", "error", "--log-format=json"], 66),
      (["serve", "--config", "/nowhere", "--log-format", "json"], 65),
      (["watch", "/nowhere", "--out", "o", "--trust-key", "k=AAAA", "--log-format", "json"], 65),
    ] as [([String], Int32)]
  )
  func `are also in the line of a service that logs JSON`(_ arguments: [String], status: Int32) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == status)
    let line = try #require(result.errorText.split(separator: "\n").first)
    #expect(result.errorText == line + "\n")
    let entry = try JSONValue(parsing: Array(line.utf8))
    #expect(entry["level"] == .string("error") && entry["event"] == .string("failed"))
    #expect(entry["exit_status"] == .number("\(status)"))
    #expect(entry["message"]?.text?.isEmpty == false && entry["time"]?.text?.isEmpty == false)
  }

  @Test func `65 for a wrong model or key, before anything is written`() async throws {
    let folder = try TemporaryFolder()
    let model = try folder.makeFile("model.json", holding: Array(#"{"app_id":1,"fine":64}"#.utf8))
    let input = Fixtures.path("postbacks")
    for wrong in [
      ["--models", model], ["--models", folder.path("missing")], ["--trust-key", "k=AAAA"], ["--trust-key", "k=!"],
      ["--trust-key", "apple-cas-identifier/0=AAAA"],
    ] {
      let result = try await BuiltCommand.run(["run", input, "--out", folder.path("out")] + wrong)
      #expect(result.status == 65, "\(wrong)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }
    let check = try await BuiltCommand.run(["model", "check", model])
    #expect(check.status == 65)
    #expect(check.errorText.contains("\(model): /fine"))
  }

  @Test func `66 for a missing input, before anything is written`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("empty"), withIntermediateDirectories: true)
    for missing in [folder.path("missing"), folder.path("empty")] {
      let result = try await BuiltCommand.run(["run", missing, "--out", folder.path("out")])
      #expect(result.status == 66)
      #expect(result.errorText.contains(missing))
      #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }
  }

  @Test func `73 for an output that cannot be created, or belongs to another run`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("file")
    let run = ["run", Fixtures.path("postbacks"), "--out"]
    #expect(try await BuiltCommand.run(run + [file]).status == 73)
    #expect(try await BuiltCommand.run(run + [file + "/below"]).status == 73)
    #expect(try await BuiltCommand.run(run + ["/proc/nowhere"]).status == 73)
    #expect(try await BuiltCommand.run(run + [folder.path("out")]).status == 0)
    // As an earlier version of the program leaves it, which gave outputs no id.
    for name in ["_state", "_output_id"] { try FileManager.default.removeItem(atPath: folder.path("out/\(name)")) }
    let again = try await BuiltCommand.run(run + [folder.path("out")])
    #expect(again.status == 73)
    #expect(again.errorText.contains("holds tables that the state in"))
  }

  @Test func `75 for an output that another process is writing`() async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(
      executable: "/usr/bin/flock",
      [
        folder.path(""), "-c",
        "'\(try BuiltCommand.path)' run '\(Fixtures.path("postbacks"))' --out '\(folder.path(""))'",
      ]
    )
    #expect(result.status == 75)
    #expect(result.errorText.contains("Another process is writing to this directory"))
  }

  @Test func `74 if standard output is full`() async throws {
    let file = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    let result = try await BuiltCommand.run(["explain", file], outputPath: "/dev/full")
    #expect(result.status == 74)
  }

  @Test func `0 for a file with a modification time out of range`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("dump", holding: RealPostback.v4.bytes)
    _ = try await BuiltCommand.run(executable: "/usr/bin/touch", ["-d", "@9223372036854775807", file])
    #expect(try await BuiltCommand.run(["run", file, "--out", folder.path("out")]).status == 0)
  }

  @Test func `74 for a full disk, with no incomplete files`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    try FileManager.default.createDirectory(atPath: out + "/skan_rejects", withIntermediateDirectories: true)
    // Without a TMPDIR, as there ThreadSanitizer would map a file of its own, and read where that was cut short.
    let limited = "ulimit -f 1; TMPDIR=/none exec \"$0\" \"$@\""
    let result = try await BuiltCommand.run(
      executable: "/bin/bash",
      ["-c", limited, try BuiltCommand.path, "run", Fixtures.path("hostile"), "--out", out]
    )
    #expect(result.status == 74)
    let files = FileManager.default.subpaths(atPath: out) ?? []
    #expect(files.allSatisfy { !$0.contains("part-") })
  }

  @Test(arguments: [
    ["--help"], ["run", "--help"], ["explain", "-h"], ["generate", "--help"], ["model", "check", "--help"],
    ["status", "-h"],
    ["state", "check", "--help"], ["state", "compact", "--help"],
  ])
  func `0 for help, which has an example`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0)
    #expect(result.text.contains("Example:\n  postback "))
  }

  @Test func `0 for the version, which names the libraries`() async throws {
    let result = try await BuiltCommand.run(["--version"])
    #expect(result.status == 0)
    #expect(["postback ", "OpenSSL ", "simdjson ", "zlib ", "zstd "].allSatisfy { result.text.contains($0) })
  }
}
