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

  /// Whether any input was stored compressed: content that is not can be the same.
  private var hasCompressed = false

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
    hasCompressed = try ledger.hasCompressedInput()
  }

  /// Forgets what the ledger knows by now.
  func forget(_ committed: [LedgerInput]) {
    for input in committed { recent.remove(input) }
  }

  /// Remembers how far an input was read.
  func note(_ input: LedgerInput) {
    guard ledger != nil else { return }
    recent.insert(input)
    hasCompressed = hasCompressed || input.isCompressed
  }

  /// The plan for an input; `scan` reads it and tells its digest, `isCompressed` how it is stored.
  func plan(
    _ path: String,
    _ identity: FileIdentity?,
    scan: (_ depth: ScanDepth) throws(PipelineFailure) -> ContentDigest,
    isCompressed: () throws(PipelineFailure) -> Bool
  ) throws(PipelineFailure) -> Plan {
    guard let identity, ledger != nil else { return .read(new(path, identity)) }
    let isCompressed = try isCompressed()
    let before: LedgerInput?
    let mayHaveTwin: Bool
    var others: [LedgerInput] = []
    do throws(StateFailure) {
      before = try newest(path, identity)
      mayHaveTwin = try hasSameSize(identity.byteCount)
    } catch {
      throw .state(error)
    }
    if isCompressed ? nextID > 0 : hasCompressed {
      let first = try scan(.firstRecord).first
      do throws(StateFailure) { others = try inputs(first, isCompressed: !isCompressed) } catch {
        throw .state(error)
      }
    }
    guard before != nil || mayHaveTwin || !others.isEmpty else {
      return .read(new(path, identity, isCompressed: isCompressed))
    }
    let content = try scan(.all(watching: Set(others.map(\.records) + [before?.records ?? 0])))
    if let before, let plan = plan(for: before, path, identity, content) { return plan }
    let same: LedgerInput?
    do throws(StateFailure) { same = try sameContent(content) } catch { throw .state(error) }
    var input = new(path, identity, isCompressed: isCompressed)
    if let same, same.phase == .complete {
      input.continues(same)
      input.phase = .complete
      return .skip(from: same.path, input)
    }
    if let part = others.compactMap({ $0.part(of: content) }).max(by: { $0.records < $1.records }) {
      input.continues(part)
    }
    return .read(input)
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
    let part = before.part(of: content)
    var input = part ?? before
    (input.path, input.device, input.inode) = (path, identity.device, identity.inode)
    input.storedBytes = identity.byteCount
    let hasAll = part?.records == before.records
    if before.phase == .partial { return hasAll ? .read(input) : isSameFile ? .refuse(before) : nil }
    if hasAll { return content.count == before.records ? .skip(from: before.path, nil) : .read(input) }
    return part != nil && identity.byteCount > before.storedBytes ? .read(input) : nil
  }

  private func new(_ path: String, _ identity: FileIdentity?, isCompressed: Bool = false) -> LedgerInput {
    defer { nextID += 1 }
    return LedgerInput(
      id: nextID,
      path: path,
      device: identity?.device ?? 0,
      inode: identity?.inode ?? 0,
      storedBytes: identity?.byteCount ?? 0,
      isCompressed: isCompressed
    )
  }

  /// The inputs that begin with the same record and are stored in the other way.
  private func inputs(_ firstDigest: UInt128, isCompressed: Bool) throws(StateFailure) -> [LedgerInput] {
    let known = try ledger?.inputs(firstDigest: firstDigest, isCompressed: isCompressed) ?? []
    return known + recent.inputs(firstDigest: firstDigest, isCompressed: isCompressed)
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

/// How much of an input is read to know it.
enum ScanDepth {
  /// Its first record.
  case firstRecord
  /// All of it; the digest is kept at these numbers of records.
  case all(watching: Set<Int64>)
}

extension LedgerInput {
  /// This input as the part of some content that is in the tables, without its last record where that was not complete;
  /// nil where the content does not begin so.
  fileprivate func part(of content: ContentDigest) -> LedgerInput? {
    guard let reached = content.at(records) else { return nil }
    if reached.value == digest { return self }
    guard phase == .complete, records > 0, reached.prefix == prefixDigest else { return nil }
    var part = self
    part.records -= 1
    part.digest = prefixDigest
    return part
  }

  /// Takes over how much of the content is in the tables.
  fileprivate mutating func continues(_ other: LedgerInput) {
    (records, digest, prefixDigest) = (other.records, other.digest, other.prefixDigest)
    firstDigest = other.firstDigest
  }
}
