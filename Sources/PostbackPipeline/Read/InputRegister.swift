/// Decides where the reading of each input begins: knows what is committed, and what was read since.
///
/// The decision depends on what inputs hold and on their order alone, not on when something was committed: a run that goes
/// on after a crash decides as one that was never disturbed.
package final class InputRegister {
  /// What is known of the inputs of earlier runs.
  private let ledger: Ledger?
  private var nextID: UInt32 = 0
  /// What was read and may not be committed yet.
  private var recent = RecentInputs()

  /// Keys the digests of contents.
  var seed: UInt64 { ledger?.seed ?? 0 }

  /// What to do with an input.
  enum Plan {
    /// Nothing: its content is in the tables, from this path; and what the ledger is to know of the input, if it does
    /// not yet.
    case skip(from: String, LedgerInput?)
    /// To read what is behind the records that are in the tables, if there are any.
    case read(LedgerInput)
    /// It is not what it was when part of it was committed.
    case refuse(LedgerInput)
  }

  /// A register for inputs of which nothing is known.
  package init() { ledger = nil }

  /// A register for the inputs that a ledger knows.
  init(_ ledger: Ledger) throws(StateFailure) {
    self.ledger = ledger
    nextID = try ledger.nextInputID()
  }

  /// Forgets what the ledger knows by now.
  func forget(_ committed: [LedgerInput]) {
    for input in committed { recent.remove(input) }
  }

  /// Remembers how far an input was read.
  func note(_ input: LedgerInput) {
    if ledger != nil { recent.insert(input) }
  }

  /// The plan for an input; `scan` reads all of it and tells the digest, and what it was at a number of records.
  func plan(
    _ path: String,
    _ identity: FileIdentity?,
    scan: (_ watching: Int64) throws(PipelineFailure) -> ContentDigest
  ) throws(PipelineFailure) -> Plan {
    guard let identity, ledger != nil else { return .read(new(path, identity)) }
    let before: LedgerInput?
    let mayHaveTwin: Bool
    do throws(StateFailure) {
      before = try newest(path, identity)
      mayHaveTwin = try hasSameSize(identity.byteCount)
    } catch {
      throw .state(error)
    }
    guard before != nil || mayHaveTwin else { return .read(new(path, identity)) }
    let content = try scan(before?.records ?? -1)
    if let before, let plan = plan(for: before, path, identity, content) { return plan }
    let same: LedgerInput?
    do throws(StateFailure) { same = try sameContent(content) } catch { throw .state(error) }
    var input = new(path, identity)
    guard let same, same.phase == .complete else { return .read(input) }
    (input.records, input.digest, input.prefixDigest) = (same.records, same.digest, same.prefixDigest)
    input.phase = .complete
    return .skip(from: same.path, input)
  }

  /// The plan where the input goes on, or is, what was read of it before; nil where it is another.
  private func plan(
    for before: LedgerInput,
    _ path: String,
    _ identity: FileIdentity,
    _ content: ContentDigest
  ) -> Plan? {
    // Of another name it can be another file, which got the number of one that is gone.
    let isSameFile = before.path == path && before.device == identity.device && before.inode == identity.inode
    var input = before
    (input.path, input.device, input.inode) = (path, identity.device, identity.inode)
    input.storedBytes = identity.byteCount
    let reached = before.records == 0 ? (value: 0, prefix: 0) : content.atWatched
    let hasAll = reached?.value == before.digest
    if before.phase == .partial { return hasAll ? .read(input) : isSameFile ? .refuse(before) : nil }
    if hasAll { return content.count == before.records ? .skip(from: before.path, nil) : .read(input) }
    // The last line was not complete when it was read: it is read again, as it is now.
    guard identity.byteCount > before.storedBytes, before.records > 0, reached?.prefix == before.prefixDigest else {
      return nil
    }
    input.records -= 1
    input.digest = before.prefixDigest
    return .read(input)
  }

  private func new(_ path: String, _ identity: FileIdentity?) -> LedgerInput {
    defer { nextID += 1 }
    return LedgerInput(
      id: nextID,
      path: path,
      device: identity?.device ?? 0,
      inode: identity?.inode ?? 0,
      storedBytes: identity?.byteCount ?? 0
    )
  }

  private func newest(_ path: String, _ identity: FileIdentity) throws(StateFailure) -> LedgerInput? {
    let (device, inode) = (identity.device, identity.inode)
    if let input = recent.input(device: device, inode: inode) ?? recent.input(path: path) { return input }
    if let input = try ledger?.input(device: device, inode: inode) { return input }
    return try ledger?.input(path: path)
  }

  private func hasSameSize(_ byteCount: Int64) throws(StateFailure) -> Bool {
    if recent.hasInput(storedBytes: byteCount) { return true }
    return try ledger?.input(storedBytes: byteCount) != nil
  }

  private func sameContent(_ content: ContentDigest) throws(StateFailure) -> LedgerInput? {
    if let input = recent.input(digest: content.value, records: content.count) { return input }
    return try ledger?.input(digest: content.value, records: content.count)
  }
}
