internal import CMalloc
internal import Glibc
internal import JSON
internal import PostbackPipeline
internal import PostbackServer
internal import Signatures

/// The command: finds the sub-command and ends the process with its status.
@main
enum Main {
  static let version = "0.1.0"

  private static let commands: [any Command.Type] = [
    RunCommand.self, WatchCommand.self, ServeCommand.self, ExplainCommand.self, RejectsCommand.self, ReportCommand.self,
    ModelCheckCommand.self, ModelShowCommand.self, ModelDecodeCommand.self, ModelEncodeCommand.self,
    ModelDiffCommand.self, GenerateCommand.self,
    StatusCommand.self, StateCheckCommand.self, StateCompactCommand.self,
  ]

  static func main() async {
    // The next file would get the number of a stream that is closed, and then what is printed there.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)
    }
    // A closed pipe and a file that must not grow are errors of a write, not the end of the process.
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    // Batches of a megabyte come and go all the time: their memory is kept, not given back and cleared anew.
    _ = mallopt(M_MMAP_THRESHOLD, 64 << 20)
    _ = mallopt(M_TRIM_THRESHOLD, 256 << 20)
    do throws(CommandFailure) {
      try await run(CommandLine.arguments.dropFirst())
    } catch {
      Terminal.complain("postback: \(error.message)")
      exit(error.status.rawValue)
    }
  }

  private static func run(_ words: ArraySlice<String>) async throws(CommandFailure) {
    guard let first = words.first else { throw CommandFailure(.usage, "say what to do\n\n\(help)") }
    if ["--help", "-h", "help"].contains(first) { return try Terminal.print(help) }
    if first == "--version" { return try Terminal.print(try versionText()) }
    guard let (command, rest) = command(words) else {
      throw CommandFailure(.usage, "there is no command \(first); see postback --help")
    }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try Terminal.print(command.manual.text)
    }
    try await command.init(try Arguments(rest, for: command.manual)).run()
  }

  private static func command(_ words: ArraySlice<String>) -> ((any Command.Type), ArraySlice<String>)? {
    for command in commands {
      let name = command.manual.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (command, words.dropFirst(name.count)) }
    }
    return nil
  }

  private static var help: String {
    let manuals = commands.map { $0.manual }
    let width = manuals.map(\.name.count).max() ?? 0
    let list = manuals.map { manual in
      "  \(manual.name)\(String(repeating: " ", count: width - manual.name.count + 2))\(manual.summary)"
    }
    return """
      Turns Apple's ad-attribution postbacks (SKAdNetwork 1-4, AdAttributionKit) into tables of events and revenue.

      Usage: postback COMMAND …

      Commands:
      \(list.joined(separator: "\n"))

      Options:
        --version  Show the version, and those of the libraries.
        --help     Show this; behind a command, what it does and an example.

      Example:
        postback run postbacks/ --models models/ --out out/
      """
  }

  private static func versionText() throws(CommandFailure) -> String {
    let apple = try TrustOptions.apple()
    let method = apple.keys.first { $0.key.curve == .p256 }?.key.prepare() ?? .evp
    return """
      postback \(version) (\(Libcrypto.version), simdjson \(JSONParser.libraryVersion), \
      zlib \(Compression.zlibVersion), zstd \(Compression.zstdVersion), \
      libmicrohttpd \(HTTPServer.libraryVersion)); verification: \(method.rawValue)
      """
  }
}
