import TestSupport
import Testing

@Suite struct `postback report` {
  @Test func `is identical for any number of cores`() async throws {
    let site = try await RejectsSite.shared.value
    let page = try await RejectsSite.page.value
    let result = try await BuiltCommand.run(["report", site.out, "--html", "-", "--sample", "100", "--jobs", "1"])
    #expect(result.text == page && page.utf8.count > 20_000)
  }

  @Test(arguments: [[], ["out"], ["--html", "x"], ["-", "--html", "x"], ["out", "--html", ""]])
  func `exits with 64 for a wrong command line`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(["report"] + arguments)
    #expect(result.status == 64)
  }

  @Test func `exits with 73 if the file exists`() async throws {
    let site = try await RejectsSite.shared.value
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("report.html", holding: [1])
    let result = try await BuiltCommand.run(["report", site.out, "--html", file])
    #expect(result.status == 73)
    #expect(try folder.contents(of: "report.html") == [1])
  }
}
