internal import DerivedTables
internal import DurableFiles
internal import Ledger
package import Tables

/// Loads the committed rows of an output into the tables of a schema of a PostgreSQL database, each row once.
///
/// A transaction has rows and the cursors behind them, and begins where the cursors in the database are. So a loader or a
/// server that is killed loses no row and doubles none, and two loaders take turns.
package struct Loader {
  /// The folder of the tables, its state, and the tables to load.
  package struct Source: Sendable {
    let output: String
    let state: String
    /// The tables that grow by commits.
    let appended: [Table]
    /// The tables that are replaced as a whole.
    let derived: [Table]

    /// Makes a source; `derived` are those tables that are derived from others.
    package init(output: String, state: String, appended: [Table], derived: [Table]) {
      (self.output, self.state, self.appended, self.derived) = (output, state, appended, derived)
    }
  }

  /// The database, and the schema in it.
  package struct Target: Sendable {
    let address: DatabaseAddress
    let schema: String
    /// Indicates that tables that differ are altered.
    let migrates: Bool
    /// The tables of which rows are removed that the output does not have.
    let reloaded: [Table]

    /// Makes a target.
    package init(_ address: DatabaseAddress, schema: String, migrates: Bool, reloaded: [Table] = []) {
      (self.address, self.schema, self.migrates, self.reloaded) = (address, schema, migrates, reloaded)
    }
  }

  /// The rows that were loaded so far.
  package private(set) var tally = LoadTally()

  private let source: Source
  private let target: Target
  private let jobs: Int
  private let stop: (Duration) -> Bool
  /// Takes messages about the connection.
  private let report: (String) -> Void

  private var session: LoadSession?
  /// Indicates that a connection was opened at least once.
  private var wasConnected = false
  private var follows = false
  /// Indicates that the rows which the output does not have were removed.
  private var hasReloaded = false
  /// The registration of the database among the followers of the output; nil until it is known, and after it has failed.
  private var registration: FollowerRegistration?
  /// The number of the last commit whose rows are loaded.
  private var loadedCommit: Int64?
  /// The versions of the derived tables that are loaded.
  private var loadedVersions: [String: String] = [:]

  /// The time between two looks for a commit.
  private static let interval = Duration.milliseconds(200)
  /// The time between two attempts to connect.
  private static let retryInterval = Duration.milliseconds(500)

  /// Makes a loader that encodes `jobs` batches at once. `stop` waits up to a duration, and returns true if the program was
  /// asked to end.
  package init(
    _ source: Source,
    into target: Target,
    jobs: Int,
    stop: @escaping (Duration) -> Bool,
    report: @escaping (String) -> Void
  ) {
    (self.source, self.target, self.jobs, self.stop, self.report) = (source, target, jobs, stop, report)
  }

  /// Loads the rows that are committed now.
  package mutating func load() async throws(LoadFailure) {
    guard let output = try outputID() else { return }
    let session = try connected(to: output)
    register(session, isLast: false)
    let commit = try Self.reading { () throws(FileFailure) in try Ledger.lastCommit(source.state) }
    if commit == nil || commit != loadedCommit {
      while let appended = try await session.append(reloading: hasReloaded ? [] : target.reloaded) {
        hasReloaded = true
        tally += appended
        register(session, isLast: false)
      }
      loadedCommit = commit
    }
    try await loadDerived(session)
    if !follows { register(session, isLast: true) }
  }

  /// Notes in the state how far the database has the rows.
  private mutating func register(_ session: LoadSession, isLast: Bool) {
    let positions = source.appended.compactMap { session.positions[$0.name] }
    do throws(FileFailure) {
      try registration?.note(positions, isLast: isLast)
    } catch {
      registration = nil
      report("\(error) So postback retain does not wait for rows to be loaded.")
    }
  }

  /// Loads committed rows until the program is asked to end. A connection that is lost is opened again; only the first one
  /// must succeed at once.
  package mutating func follow() async throws(LoadFailure) {
    var isInterrupted = false
    follows = true
    defer { if let session { register(session, isLast: true) } }
    repeat {
      do {
        try await load()
        if isInterrupted { report("The database can be used again.") }
        isInterrupted = false
      } catch .stopped {
        return
      } catch .database(let failure) where failure.isTransient && wasConnected {
        if !isInterrupted { report("\(failure) Trying until it works.") }
        isInterrupted = true
        session = nil
      }
    } while !stop(isInterrupted ? Self.retryInterval : Self.interval)
  }

  /// Returns the id of the output; nil if nothing was committed yet.
  private func outputID() throws(LoadFailure) -> OutputID? {
    try Self.reading { () throws(FileFailure) in
      let committed = try Ledger.committedParts(source.state, of: Table.postbacks.name, from: 1)
      guard committed.outputID == nil, !committed.parts.isEmpty else { return committed.outputID }
      throw FileFailure(
        .incompatible,
        source.output,
        "The output has no id, because an earlier version of postback has written it",
        advice: "Run this version of postback run or watch on it once"
      )
    }
  }

  private mutating func connected(to output: OutputID) throws(LoadFailure) -> LoadSession {
    if let session { return session }
    try Self.reading { () throws(FileFailure) in
      _ = try OutputFolder.reading(source.output, state: source.state)
    }
    let session = try LoadSession(source, target, output, jobs: jobs, stop: stop)
    self.session = session
    registration = FollowerRegistration(session.followerName, .database, in: source.state)
    wasConnected = true
    (loadedCommit, loadedVersions) = (nil, [:])
    return session
  }

  /// Replaces the derived tables that have changed.
  private mutating func loadDerived(_ session: LoadSession) async throws(LoadFailure) {
    while true {
      var changed: [DerivedVersion] = []
      let snapshot = try Self.reading { () throws(FileFailure) in try DerivedSnapshot(of: source.output) }
      for table in source.derived {
        let version = try Self.reading { () throws(FileFailure) in
          try snapshot.verify(table)
          return try DerivedVersion(of: table, in: snapshot)
        }
        if let version, loadedVersions[table.name] != version.text { changed.append(version) }
      }
      guard !changed.isEmpty else { return }
      guard let replaced = try await session.replace(changed) else { continue }
      tally += replaced
      for version in changed { loadedVersions[version.table.name] = version.text }
    }
  }

  /// Returns the result of an operation on files, whose failure is one of the load.
  static func reading<Value>(_ body: () throws(FileFailure) -> Value) throws(LoadFailure) -> Value {
    do throws(FileFailure) { return try body() } catch { throw .file(error) }
  }
}
