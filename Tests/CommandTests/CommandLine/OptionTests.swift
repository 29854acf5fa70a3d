import PostbackServer
import Testing

@testable import postback

@Suite struct `A group of options` {
  private struct Inner: OptionGroup {
    let names = Option("--name NAME", "A name. May be repeated.").values(.text)
  }

  private struct Options: OptionGroup {
    let output = Option("-o, --out DIR", "A folder.").configured { $0.out }.value(.folder)
    let inner = Inner()
    let count = Option("--count N", "A number; default 7.").value(.integer(in: 1...9), else: 7)
    let order = Option("--order WORD", "An order.").value("up or down") { ["up", "down"].contains($0) ? $0 : nil }
    let isLoud = Option("--loud", "Say more.").isGiven
  }

  private static let manual = Manual(
    name: "test",
    summary: "Test.",
    usage: "",
    discussion: "",
    options: Options.options,
    example: "postback test"
  )

  private func read(_ words: String...) throws -> Options { try Arguments(words[...], for: Self.manual).read() }

  @Test func `declares its options in the order of its properties`() {
    #expect(
      Options.options.map(\.title) == [
        "-o, --out DIR", "    --name NAME", "    --count N", "    --order WORD", "    --loud",
      ]
    )
    #expect(Inner.options.map(\.name) == ["--name"])
  }

  @Test func `has the values of a command line`() throws {
    let options = try read("-oout", "--name", "a", "--count=2", "--name=b", "--count", "9", "--order", "up", "--loud")
    #expect(options.output == "out" && options.inner.names == ["a", "b"] && options.count == 9)
    #expect(options.order == "up" && options.isLoud)
  }

  @Test func `has defaults for what is absent`() throws {
    let options = try read()
    #expect(options.output == nil && options.inner.names.isEmpty && options.count == 7)
    #expect(options.order == nil && !options.isLoud)
    #expect(Options().count == 7)
  }

  @Test(arguments: [
    (["--count", "10"], "The value of --count is 10. It must be an integer from 1 to 9."),
    (["--order=left"], "The value of --order is left. It must be up or down."),
    (["--out", ""], "The value of --out is empty. Give a folder."),
    (["--order", "x", "--count", "y"], "The value of --count is y. It must be an integer from 1 to 9."),
  ])
  func `refuses the first wrong value`(_ words: [String], _ message: String) throws {
    let arguments = try Arguments(words[...], for: Self.manual)
    let failure = #expect(throws: CommandFailure.self) { try arguments.read(Options.self) }
    #expect(failure?.message == message && failure?.status == .usage)
  }

  @Test func `names the settings of a configuration`() {
    var configuration = ServerConfiguration()
    #expect(Options.options.allSatisfy { $0.configuredValues(configuration) == nil })
    configuration.out = "tables"
    #expect(Options.options[0].configuredValues(configuration) == ["tables"])
  }
}
