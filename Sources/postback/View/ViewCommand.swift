internal import PostbackServer
internal import PostbackVerification
internal import PostbackView
internal import Spool

/// `postback view`: shows the tables of a run as a page that follows the commits.
struct ViewCommand: Command {
  struct Options: OptionGroup {
    let port = Option("--port N", "The port on 127.0.0.1; default is a free one.").value(.integer(in: 0...65_535))
    let get = Option(
      "--get ADDRESS",
      "Print the answer at this address of the page, such as /api/campaigns.csv?by=network_name, and end."
    ).value(.text)
    let role = Option("--role ROLE", "With --get or a token for once: read (default) or read_without_revenue.")
      .value("read or read_without_revenue", else: .read) { ViewRole(rawValue: $0) }
    let state = Option("--state DIR", "The folder of the state; default _state in OUT.").value(.text)
    let configuration = Option(
      "--config FILE",
      "The configuration (docs/configuration.md), which names OUT, and in view the users of the page."
    ).value(.text)
    let jobs = Option.jobs()
    let keys = KeyOptions()
  }

  static let manual = Manual(
    name: "view",
    summary: "Show the tables of a run as a page in the browser that follows the commits.",
    usage: "[OUT] [--port N] [--config FILE] [--get ADDRESS]",
    discussion: """
      OUT is the --out folder of run or watch. The server listens on 127.0.0.1 alone and prints an address with a token that is
      good for one browser. It shows what came in the last hour, day and week, the campaigns, the rejects and signals as in the
      page of report, and everything about one postback, and follows new commits and refreshed tables. It reads only: no request
      changes anything, and nothing is written to OUT but the index of find, if that is allowed. It ends with Ctrl-C.

      With a configuration that has users in view, and without --port, the page is theirs: the server listens at the address of
      view, behind a proxy that ends TLS, and prints no token. serve --view does the same beside the receiver. On SIGHUP it reads the
      users, the keys and the trusted proxies again: all are replaced, or none if one is wrong. A page without users ends on SIGHUP,
      as when its terminal is closed.

      --get prints the answer at an address without a server, so that each table of the page can be had in a script. It does not
      wait for tests of signals, which only /api/report has.
      Exit status: 0 asked to end; 64 usage, 65 the state or the configuration is wrong, 66 the tables do not exist, 73 cannot
      listen, 74 I/O; 1 --get was answered with an error.
      """,
    options: Options.options,
    example: "postback view out"
  )

  private let output: String
  private let options: Options
  private let trust: TrustPolicy
  private let configuration: ServerConfiguration?

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    configuration = try options.configuration.map { try Self.configuration(in: $0) }
    guard arguments.operands.count <= 1, let output = arguments.operands.first ?? configuration?.out, !output.isEmpty
    else {
      throw CommandFailure(.usage, "Give one operand, the --out folder of a run, or a configuration that names it.")
    }
    self.output = output
    trust = try options.keys.trust(adding: configuration?.keys ?? [])
  }

  private static func configuration(in path: String) throws -> ServerConfiguration {
    try ServerConfiguration(reading: path, readsSecrets: false, readsViewTokens: true)
  }

  func run() async throws {
    HeapSettings.giveFreeMemoryBack()
    HeapSettings.shareOneHeap()
    let store = try ViewStore(
      output,
      state: options.state ?? configuration?.state,
      trust: trust,
      program: Main.version,
      jobs: options.jobs
    ) { Terminal.warn($0) }
    if let address = options.get { return try await print(address, of: store) }
    let signals = try UnixSignals()
    let service = try service(store)
    try service.start()
    var isAsked = false
    while !isAsked {
      do { try await Task.sleep(for: .milliseconds(50)) } catch { break }
      for signal in signals.pending() {
        if signal.asksToEnd || users == nil { isAsked = true } else { reload(service, store) }
      }
    }
    service.stop()
  }

  /// The page for the users of the configuration; nil if it is for the one who has started it.
  private var users: ViewConfiguration? { options.port == nil ? configuration?.view : nil }

  /// Replaces the users and the keys by those that the configuration has now.
  private func reload(_ service: ViewService, _ store: ViewStore) {
    guard let path = options.configuration else { return }
    do {
      let loaded = try Self.configuration(in: path)
      guard let view = loaded.view, !view.users.isEmpty else { throw Self.withoutUsers }
      store.use(try options.keys.trust(adding: loaded.keys))
      service.use(view, proxies: loaded.trustedProxies)
      let fixed = configuration.map { loaded.fixedKeys(changedFrom: $0, receives: true, consumes: true) } ?? []
      let names = fixed.filter { $0.hasPrefix("view.") || ["out", "state"].contains($0) }
      Terminal.note("The page has \(view.users.count) users now.")
      if !names.isEmpty {
        Terminal.warn("Changes of \(names.joined(separator: ", ")) take effect with the next start.")
      }
    } catch {
      Terminal.warn("The configuration was not replaced: \(CommandFailure(of: error).line)")
    }
  }

  private static let withoutUsers = CommandFailure(
    .configuration,
    "The object view of the configuration has no users. Add one with a token."
  )

  /// Prints the answer at an address.
  private func print(_ address: String, of store: ViewStore) async throws {
    let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
    let answers = ViewAnswers(store)
    defer { store.close() }
    let answer = try await answers.answerAlone(parts.first ?? "", parts.count > 1 ? parts[1] : "", options.role)
    var text = answer.body
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    guard answer.status == 200 else { throw CommandFailure(.different, ViewAnswers.reason(answer)) }
    if let next = answer.headers.first(where: { $0.name == HTTPResponse.cursorHeader })?.value {
      Terminal.warn("There are more rows. The address with cursor=\(next) gives those before them.")
    }
    try Terminal.print(String(decoding: text, as: UTF8.self))
  }

  /// Makes the server, and prints the address.
  private func service(_ store: ViewStore) throws -> ViewService {
    if let view = users {
      let service = try Self.service(store, view, configuration?.trustedProxies ?? [])
      Terminal.note("The page of \(output) is at http://\(service.address) for \(view.users.count) users.")
      return service
    }
    let access = ViewAccess(hosts: [], tokens: [], isSecure: false)
    let address = ListenAddress(host: "127.0.0.1", port: UInt16(options.port ?? 0))
    let service = try ViewService(store, access, address)
    access.accept(hosts: ["127.0.0.1:\(service.address.port)", "localhost:\(service.address.port)"])
    let token = try access.makeTokenForOnce(options.role)
    try Terminal.print("http://127.0.0.1:\(service.address.port)/?token=\(token)")
    return service
  }

  /// Makes the server for the users of a configuration.
  static func service(
    _ store: ViewStore,
    _ view: ViewConfiguration,
    _ proxies: [AddressRange]
  ) throws -> ViewService {
    guard !view.users.isEmpty else { throw withoutUsers }
    let access = ViewAccess(hosts: [], tokens: view.users.map { ViewToken($0) }, isSecure: view.usesTLS)
    let service = try ViewService(store, access, view.listen, proxies: proxies)
    let port = service.address.port
    access.accept(hosts: Set(view.hosts + ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]))
    return service
  }
}
