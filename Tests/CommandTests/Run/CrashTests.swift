import TestSupport
import Testing

/// A short version of `Tests/Crash/kill_everywhere.py`, which kills the command at every system call.
@Suite(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
struct `A command that is killed at any system call` {
  private func kill(_ options: [String]) async throws -> BuiltCommand.Result {
    let script = Fixtures.path("../Tests/Crash/kill_everywhere.py")
    return try await BuiltCommand.run(
      executable: "/usr/bin/env",
      ["python3", script, "--binary", try BuiltCommand.path] + options
    )
  }

  @Test(
    arguments: [
      "run", "watch", "watch-many", "forget", "compact", "from-rejects", "retain", "removal", "partition",
    ]
  )
  func `has lost and repeated nothing after the next run`(
    _ scenario: String
  )
    async throws
  {
    let result = try await kill(["--every", "90", "--only", scenario])
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains(", 0 violations"))
  }

  #if DEBUG
    @Test func `is found out by this test if it completes parts too early`() async throws {
      let result = try await kill(["--every", "5", "--only", "run-1", "--first", "--failpoint", "publish-early"])
      #expect(result.status == 0, "\(result.text)\(result.errorText)")
      #expect(!result.text.contains(" 0 violations"))
    }
  #endif
}
