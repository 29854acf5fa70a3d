internal import CPQ
internal import Glibc

/// An open connection to PostgreSQL, closed when it is released. The server rolls back the transaction of a connection that
/// is closed.
///
/// Every wait ends within a tenth of a second after the program was asked to end, with `.stopped`.
@safe
final class DatabaseConnection {
  private let library: cpq_functions
  private let handle: OpaquePointer
  /// Waits up to a duration, and returns true if the program was asked to end.
  private let stop: (Duration) -> Bool

  private static let tick = Duration.milliseconds(100)

  init(_ address: DatabaseAddress, stop: @escaping (Duration) -> Bool) throws(LoadFailure) {
    self.stop = stop
    do throws(DatabaseFailure) { unsafe library = try Libpq.functions() } catch { throw .database(error) }
    guard let handle = unsafe Self.start(address, library) else {
      throw .database(DatabaseFailure(.unreachable, "No connection can be begun: no memory is left"))
    }
    unsafe self.handle = handle
    // The code of a refusal stands only in the long form of the message.
    _ = unsafe library.PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    try connect()
    _ = unsafe library.PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    _ = unsafe library.PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard unsafe library.PQsetnonblocking(handle, 1) == 0 else { throw lost() }
  }

  deinit { unsafe library.PQfinish(handle) }

  /// Returns the time to wait for a connection, from the text of `connect_timeout`: 10 seconds if there is none, and nil for no
  /// limit, which is 0 or less as in libpq.
  static func patience(_ text: String?) -> Duration? {
    let seconds = text.flatMap { Int32($0) } ?? 10
    return seconds > 0 ? .seconds(seconds) : nil
  }

  private static func start(_ address: DatabaseAddress, _ library: cpq_functions) -> OpaquePointer? {
    let settings = [
      ("dbname", address.text), ("fallback_application_name", "postback"), ("client_encoding", "UTF8"),
    ]
    let keywords = unsafe settings.map { unsafe UnsafePointer(strdup($0.0)) } + [nil]
    let values = unsafe settings.map { unsafe UnsafePointer(strdup($0.1)) } + [nil]
    defer { unsafe release(keywords + values) }
    return unsafe library.PQconnectStartParams(keywords, values, 1)
  }

  /// Frees copies of texts.
  @unsafe
  private static func release(_ texts: [UnsafePointer<CChar>?]) {
    for index in unsafe texts.indices { unsafe free(UnsafeMutablePointer(mutating: texts[index])) }
  }

  private func connect() throws(LoadFailure) {
    let limit = Self.patience(option("connect_timeout")).map { ContinuousClock.now + $0 }
    var state = PGRES_POLLING_WRITING
    while true {
      switch state {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: _ = try isReady(for: POLLIN)
      case PGRES_POLLING_WRITING where unsafe library.PQstatus(handle) != CONNECTION_BAD: _ = try isReady(for: POLLOUT)
      default: throw .database(refusal)
      }
      if let limit, ContinuousClock.now >= limit {
        throw .database(.connecting(nil, "it does not answer in time", needsPassword: false))
      }
      state = unsafe library.PQconnectPoll(handle)
    }
  }

  /// Returns the value of an option of the connection as libpq has it, from the address or the environment.
  private func option(_ name: String) -> String? {
    guard let options = unsafe library.PQconninfo(handle) else { return nil }
    defer { unsafe library.PQconninfoFree(options) }
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if unsafe String(cString: keyword) == name { return unsafe option.pointee.val.map { unsafe String(cString: $0) } }
      unsafe option += 1
    }
    return nil
  }

  /// The server and the database of the connection, as text.
  var place: String {
    let port = option("port").flatMap { $0 == "5432" ? nil : ":\($0)" } ?? ""
    return "\(option("host") ?? option("hostaddr") ?? "local")\(port)/\(option("dbname") ?? "")"
  }

  /// The failure of the attempt to connect. The message is such as `connection to server … failed: FATAL:  28P01: …`.
  private var refusal: DatabaseFailure {
    guard let match = message.firstMatch(of: #/:\s+\S+:\s+(?<code>[0-9A-Z]{5}):\s+(?<text>[^\n]*)/#) else {
      return .connecting(nil, line, needsPassword: unsafe library.PQconnectionNeedsPassword(handle) == 1)
    }
    return .connecting(String(match.code), String(match.text), needsPassword: false)
  }

  private var message: String {
    unsafe Libpq.text(library.PQerrorMessage(handle))
  }

  /// The last message in one line.
  private var line: String { message.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// The failure of a connection that does not work any more.
  private func lost() -> LoadFailure {
    .database(DatabaseFailure(.unreachable, "The connection to the database was lost: \(line)", advice: "Run again"))
  }

  /// Waits until the socket is ready, at most for a moment. Returns the events that it is ready for.
  private func isReady(for events: Int32) throws(LoadFailure) -> Int32 {
    if stop(.zero) { throw .stopped }
    var request = unsafe pollfd(fd: library.PQsocket(handle), events: Int16(events), revents: 0)
    _ = unsafe poll(&request, 1, Int32(Self.tick / .milliseconds(1)))
    return Int32(request.revents)
  }

  /// Sends everything that libpq holds.
  private func flush() throws(LoadFailure) {
    while true {
      let rest = unsafe library.PQflush(handle)
      if rest == 0 { return }
      guard rest > 0 else { throw lost() }
      // A server that reports an error may wait for it to be read.
      if try isReady(for: POLLIN | POLLOUT) & POLLIN != 0, unsafe library.PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  /// Waits for the next result; nil after the last one of a statement.
  private func nextResult() throws(LoadFailure) -> DatabaseResult? {
    try flush()
    while unsafe library.PQisBusy(handle) == 1 {
      if try isReady(for: POLLIN) != 0, unsafe library.PQconsumeInput(handle) == 0 { throw lost() }
    }
    return unsafe library.PQgetResult(handle).map { unsafe DatabaseResult($0, library) }
  }

  /// Runs a statement to its end, and returns its last result. Throws the first error of the server. `task` is the noun
  /// phrase of what is done.
  private func finish(_ sent: Int32, doing task: String) throws(LoadFailure) -> DatabaseResult {
    guard sent == 1 else { throw lost() }
    var last: DatabaseResult?
    var failure: DatabaseFailure?
    while let result = try nextResult() {
      if failure == nil { failure = result.failure(doing: task) }
      last = result
      if result.awaitsCopy { break }
    }
    if let failure { throw unsafe library.PQstatus(handle) == CONNECTION_BAD ? lost() : .database(failure) }
    guard let last else { throw lost() }
    return last
  }

  /// Runs statements that take no parameters.
  func execute(_ statements: String, doing task: String) throws(LoadFailure) {
    _ = try finish(unsafe library.PQsendQuery(handle, statements), doing: task)
  }

  /// Runs a statement with parameters as texts, and returns its result.
  @discardableResult
  func run(_ statement: String, _ parameters: String..., doing task: String) throws(LoadFailure) -> DatabaseResult {
    let texts = unsafe parameters.map { unsafe UnsafePointer(strdup($0)) }
    defer { unsafe Self.release(texts) }
    let count = Int32(parameters.count)
    return try finish(unsafe library.PQsendQueryParams(handle, statement, count, nil, texts, nil, nil, 0), doing: task)
  }

  // MARK: - COPY

  /// Begins a `COPY … FROM STDIN`.
  func beginCopy(_ statement: String, doing task: String) throws(LoadFailure) {
    _ = try finish(unsafe library.PQsendQuery(handle, statement), doing: task)
  }

  /// Sends rows of the copy that was begun.
  func put(_ bytes: [UInt8]) throws(LoadFailure) {
    let code = unsafe bytes.withUnsafeBytes { buffer in
      unsafe library.PQputCopyData(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
    }
    guard code == 1 else { throw lost() }
    try flush()
  }

  /// Ends the copy without its rows.
  func abandonCopy() throws(LoadFailure) {
    _ = unsafe library.PQputCopyEnd(handle, "the rows cannot be read")
    while try nextResult() != nil {}
  }

  /// Ends the copy, and returns the number of its rows.
  func endCopy(doing task: String) throws(LoadFailure) -> Int {
    let code = unsafe library.PQputCopyEnd(handle, nil)
    return try finish(code, doing: task).changeCount
  }
}

/// The result of a statement.
@safe
final class DatabaseResult {
  private let library: cpq_functions
  private let handle: OpaquePointer

  @unsafe
  fileprivate init(_ handle: OpaquePointer, _ library: cpq_functions) {
    unsafe (self.handle, self.library) = (handle, library)
  }

  deinit { unsafe library.PQclear(handle) }

  fileprivate var awaitsCopy: Bool { unsafe library.PQresultStatus(handle) == PGRES_COPY_IN }

  /// The number of rows that the statement has changed or copied.
  var changeCount: Int { unsafe Int(Libpq.text(library.PQcmdTuples(handle))) ?? 0 }

  /// The rows, each with its cells as text; nil is a null.
  var rows: [[String?]] {
    let (rowCount, columnCount) = unsafe (library.PQntuples(handle), library.PQnfields(handle))
    return (0..<rowCount).map { row in
      (0..<columnCount).map { column in
        guard unsafe library.PQgetisnull(handle, row, column) == 0 else { return nil }
        return unsafe Libpq.text(library.PQgetvalue(handle, row, column))
      }
    }
  }

  /// Returns the failure that the result reports; nil if it reports success.
  fileprivate func failure(doing task: String) -> DatabaseFailure? {
    switch unsafe library.PQresultStatus(handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN: return nil
    default:
      let code = field(CPQ_SQLSTATE) ?? ""
      // The detail of another error may have values of a row.
      let detail = code == DatabaseFailure.dependentObject ? field(CPQ_DETAIL) : nil
      let parts = [field(CPQ_MESSAGE), detail, field(CPQ_CONTEXT)].compactMap { $0?.split(separator: "\n").first }
      let message =
        parts.isEmpty ? unsafe Libpq.text(library.PQresultErrorMessage(handle)) : parts.joined(separator: "; ")
      return .server(code, String(message.prefix(1000)), doing: task)
    }
  }

  private func field(_ code: some BinaryInteger) -> String? {
    unsafe library.PQresultErrorField(handle, Int32(code)).map { unsafe String(cString: $0) }
  }
}
