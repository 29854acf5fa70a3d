internal import HTTPClient
internal import Glibc
internal import JSON
internal import PostbackPipeline
internal import PostbackServer
internal import Signatures

/// The command: finds the sub-command and ends the process with its status.
@main
enum Main {
  static let version = "0.1.0"

  static let commands = CommandList(commands: [
    RunCommand.self, InputsCommand.self, ImportCommand.self, WatchCommand.self, ServeCommand.self, InitCommand.self,
    ConfigCheckCommand.self,
    ExplainCommand.self, FindCommand.self, RejectsCommand.self, ReportCommand.self,
    ViewCommand.self, CaseCommand.self, EnrichCommand.self, RefreshCommand.self,
    SettleCommand.self, DailyCommand.self, DeliverCommand.self, RetainCommand.self, ForgetCommand.self,
    ModelCheckCommand.self, ModelShowCommand.self, ModelDecodeCommand.self, ModelEncodeCommand.self,
    ModelDiffCommand.self, ModelFitCommand.self, ModelImportCommand.self, ModelExportCommand.self,
    PlistCheckCommand.self, NetworksImportCommand.self, SearchAdsImportCommand.self, SearchAdsExchangeCommand.self,
    GenerateCommand.self, RecordsReadCommand.self, RecordsFinishCommand.self,
    SchemaCommand.self, LoadPostgresCommand.self, ValidateImplementationCommand.self,
    StatusCommand.self, StateCheckCommand.self, StateBackupCommand.self, StateCompactCommand.self,
    StateFollowersCommand.self, CompletionCommand.self, ManualCommand.self,
  ])

  static func main() async {
    // The next file would get the number of a stream that is closed, and then what is printed there.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)
    }
    // A closed pipe and a file that must not grow are errors of a write, not the end of the process.
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    HeapSettings.keepFreeMemory()
    var status: Int32 = 0
    do { try await run(CommandLine.arguments.dropFirst()) } catch {
      let failure = CommandFailure(of: error)
      Terminal.report(failure)
      status = failure.status.rawValue
    }
    // Batches may still be worked on, and exit() would take libcrypto and simdjson from under them.
    _ = fflush(nil)
    _exit(status)
  }

  private static func run(_ words: ArraySlice<String>) async throws {
    guard let first = words.first else {
      throw CommandFailure(
        .usage,
        "give a command",
        details: [""] + commands.help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      )
    }
    if first == "--version" { return try Terminal.print(versionText()) }
    if ["--help", "-h", "help"].contains(first) { return try Terminal.print(try help(on: words.dropFirst())) }
    switch try commands.match(words) {
    case .group(let name):
      if asksForHelp(words) { return try Terminal.print(commands.help(of: name)) }
      throw CommandFailure(.usage, "give a command of postback \(name):", details: commands.list(of: name))
    case .command(let command, let rest):
      Terminal.logsJSON = LogOptions.wantsJSON(rest, command.manual)
      if asksForHelp(rest) { return try Terminal.print(command.manual.text) }
      let arguments = try ConfigurationOption.complete(try Arguments(rest, for: command.manual), of: command.manual)
      Terminal.isQuiet = arguments.has(Manual.quiet.name)
      do { try await command.init(arguments).run() } catch {
        throw ConfigurationOption.explain(CommandFailure(of: error), of: arguments)
      }
    }
  }

  private static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// The help on a command, on a group of them, or on everything.
  private static func help(on words: ArraySlice<String>) throws -> String {
    guard !words.isEmpty else { return commands.help }
    return switch try commands.match(words) {
    case .group(let name): commands.help(of: name)
    case .command(let command, _): command.manual.text
    }
  }

  private static func versionText() -> String {
    """
    postback \(version) (\(Libcrypto.version), simdjson \(JSONParser.libraryVersion), \
    zlib \(Compression.zlibVersion), zstd \(Compression.zstdVersion), \
    built with libmicrohttpd \(HTTPServer.libraryVersion), libcurl \(CurlTransport.libraryVersion)); verification: \(Libcrypto.verificationMethod.rawValue)
    """
  }
}
