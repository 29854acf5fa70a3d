internal import PostbackServer
internal import PostbackService
internal import PostbackView

/// The live page beside a receiver.
struct ServedView {
  private let store: ViewStore
  private let service: ViewService

  /// Makes the page's server for the users of a configuration, and tells the log of failures.
  init(_ settings: ServiceSettings, jobs: Int, _ log: Log) throws {
    let configuration = settings.configuration
    guard let view = configuration.view else {
      throw CommandFailure(.usage, "--view needs the object view in the configuration, with an address and users.")
    }
    guard let output = configuration.out, !output.isEmpty else {
      throw CommandFailure(.usage, "--view needs the folder of the tables. Give --out, or out in the configuration.")
    }
    store = try ViewStore(
      output,
      state: configuration.state,
      trust: settings.trust,
      program: Main.version,
      jobs: jobs,
      mayBeMissing: true
    ) { log.warning("view_failing", $0) }
    service = try ViewCommand.service(store, view, configuration.trustedProxies)
    log.info("view_listening", "at http://\(service.address) for \(view.users.count) users")
  }

  /// Begins to answer.
  func start() throws { try service.start() }

  /// Replaces the users, the keys and the proxies. Sessions end if the users have changed.
  func use(_ settings: ServiceSettings) {
    let configuration = settings.configuration
    store.use(settings.trust)
    if let view = configuration.view { service.use(view, proxies: configuration.trustedProxies) }
  }

  /// Ends.
  func stop() { service.stop() }
}
