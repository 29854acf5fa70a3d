internal import DurableFiles
internal import InputForms
internal import Ledger

/// The catalog of known inputs, committed or read since. It decides from which record on each input is read.
///
/// The decision depends only on the content and the order of the inputs, not on the times of commits: a run that goes
/// on after a crash decides as one that was never interrupted.
package final class InputCatalog {
  /// The ledger with the committed inputs; nil if no state is kept.
  private let ledger: Ledger?
  /// The content of inputs whose rows the ledger no longer has; nil if no state is kept.
  private let putAway: ArchivedInputs?
  private var nextID: UInt32 = 0
  /// The inputs that were read and may not be committed yet.
  private var recent = RecentInputs()

  /// The folder whose inputs do not keep their rows in the ledger; nil if all inputs do.
  private var spool: String?
  private var committedSinceDrop = 0
  /// The number of newest inputs whose rows are kept: a file that has grown, or was renamed, is known by its row.
  private static let keptInputs = 100
  private static let inputsBetweenDrops = 1000

  /// True if any known input is stored compressed: an uncompressed one of another size can have the same content.
  private var hasCompressed = false

  /// The secret seed of the content digests; 0 without a ledger.
  private var seed: UInt64 { ledger?.seed ?? 0 }

  /// Returns the seed of the content digests of an input: what a mapping was applied to counts as other content.
  func seed(in form: InputForm) -> UInt64 { form.mapping == nil ? seed : seed ^ UInt64(bitPattern: form.number) }

  /// The decision about an input: skip, read or refuse it.
  enum Plan {
    /// Skip the input: all its content is in the tables, read from this path, which is nil if the ledger no longer has
    /// it. The second value is the input's own entry for the ledger; nil if the ledger has one already.
    case skip(from: String?, LedgerInput?)
    /// Read the input behind the records that are in the tables already, if any are.
    case read(LedgerInput)
    /// Refuse the input: its content has changed since a part of it was committed. The value is its entry from then.
    case refuse(LedgerInput)

    /// True if records of the input are read.
    var reads: Bool { if case .read = self { true } else { false } }
  }

  /// A catalog without a ledger: every input is read from its start.
  package init() { (ledger, putAway) = (nil, nil) }

  /// A catalog of the inputs in a ledger.
  init(_ ledger: Ledger) throws(FileFailure) {
    self.ledger = ledger
    putAway = try ArchivedInputs(ledger)
    nextID = try ledger.nextInputID()
    hasCompressed = try ledger.hasCompressedInput()
  }

  /// Forgets inputs that were committed to the ledger, unless they were read further since.
  func forget(_ committed: [LedgerInput]) {
    for input in committed { recent.remove(input) }
    committedSinceDrop += committed.count
  }

  /// Drops the rows of complete inputs in a folder, now and from time to time, except the newest ones. Their content
  /// stays known.
  func dropRows(in folder: String) throws(FileFailure) {
    spool = folder
    try dropRows()
  }

  /// Drops rows if many inputs were read since the last time.
  func dropRowsIfDue() throws(FileFailure) {
    if committedSinceDrop >= Self.inputsBetweenDrops { try dropRows() }
  }

  /// Drops the rows that need not be kept, if there is a folder whose inputs do not keep theirs.
  func dropRows() throws(FileFailure) {
    guard let spool else { return }
    try putAway?.dropRows(withPrefix: "\(spool)/", keeping: Self.keptInputs)
    committedSinceDrop = 0
  }

  /// Forgets the content of inputs whose rows were dropped before a time, in seconds since 1970.
  func forgetContent(before seconds: UInt32) throws(FileFailure) { try putAway?.forget(before: seconds) }

  /// Throws `.damaged` if a file of the catalog was removed or replaced.
  func verifyNames() throws(FileFailure) { try putAway?.verifyName() }

  /// Remembers up to which record an input was read; does nothing without a ledger.
  func note(_ input: LedgerInput) {
    guard ledger != nil else { return }
    recent.insert(input)
    hasCompressed = hasCompressed || input.isCompressed
  }

  /// Returns the plan for an input whose records are found with the settings `reading`. `scan` reads the input and
  /// returns its content digest; `isCompressed` tells if it is stored compressed. An input that has not changed since it
  /// was read to its end is not read.
  func plan(
    _ path: String,
    _ identity: FileIdentity?,
    reading: Int64,
    scan: (_ depth: ScanDepth) throws(PipelineFailure) -> ContentDigest,
    isCompressed: () throws(PipelineFailure) -> Bool
  ) throws(PipelineFailure) -> Plan {
    guard let identity, ledger != nil else { return .read(new(path, identity, reading)) }
    let before: LedgerInput?
    let mayBeDuplicate: Bool
    var others: [LedgerInput] = []
    do throws(FileFailure) {
      before = try newest(path, identity)
      if let before, before.isUnchanged(identity, reading) { return .skip(from: before.path, nil) }
      mayBeDuplicate = try hasSameSize(identity.byteCount)
    } catch {
      throw .state(error)
    }
    let isCompressed = try isCompressed()
    let mayBeCopy = isCompressed ? nextID > 0 : hasCompressed
    var isPutAway = false
    if mayBeCopy || putAway?.isEmpty == false {
      let first = try scan(.firstRecord).first
      isPutAway = putAway?.contains(first) ?? false
      if mayBeCopy {
        do throws(FileFailure) { others = try inputs(first, isCompressed: !isCompressed) } catch {
          throw .state(error)
        }
      }
    }
    guard before != nil || mayBeDuplicate || isPutAway || !others.isEmpty else {
      return .read(new(path, identity, reading, isCompressed: isCompressed))
    }
    let content = try scan(.all(watching: Set(others.map(\.records) + [before?.records ?? 0])))
    let planned = before.flatMap { plan(for: $0, path, identity, reading, content) }
    // A file that seems to have grown can be another one that got its inode number, whose whole content is known.
    if let planned, before?.phase == .partial || !planned.reads { return planned }
    let same: LedgerInput?
    do throws(FileFailure) { same = try sameContent(content) } catch { throw .state(error) }
    var input = new(path, identity, reading, isCompressed: isCompressed)
    if let same, same.phase == .complete {
      input.continues(same)
      input.phase = .complete
      return .skip(from: same.path, input)
    }
    if isPutAway, content.count > 0, putAway?.contains(content.value) ?? false {
      input.continues(content)
      input.phase = .complete
      return .skip(from: nil, input)
    }
    if let planned { return planned }
    if let part = others.compactMap({ $0.part(of: content) }).max(by: { $0.records < $1.records }) {
      input.continues(part)
    }
    return .read(input)
  }

  /// Returns the plan for an input that is the known input `before`, unchanged, grown or changed; nil if it is another.
  private func plan(
    for before: LedgerInput,
    _ path: String,
    _ identity: FileIdentity,
    _ reading: Int64,
    _ content: ContentDigest
  ) -> Plan? {
    // A file with another name can be a new file that got the inode number of a deleted one.
    let isSameFile = before.path == path && before.device == identity.device && before.inode == identity.inode
    let part = before.part(of: content)
    var input = part ?? before
    (input.path, input.device, input.inode) = (path, identity.device, identity.inode)
    input.storedBytes = identity.byteCount
    (input.changed, input.reading) = (identity.changed, reading)
    let hasAll = part?.records == before.records
    if before.phase == .partial { return hasAll ? .read(input) : isSameFile ? .refuse(before) : nil }
    if hasAll, content.count == before.records {
      // So that the next run need not read the file.
      return .skip(from: before.path, input.isUnchanged(identity, reading) ? input : nil)
    }
    if hasAll { return .read(input) }
    return part != nil && identity.byteCount > before.storedBytes ? .read(input) : nil
  }

  private func new(
    _ path: String,
    _ identity: FileIdentity?,
    _ reading: Int64,
    isCompressed: Bool = false
  ) -> LedgerInput {
    defer { nextID += 1 }
    var input = LedgerInput(id: nextID, path: path)
    if let identity {
      (input.device, input.inode) = (identity.device, identity.inode)
      (input.storedBytes, input.changed) = (identity.byteCount, identity.changed)
    }
    (input.isCompressed, input.reading) = (isCompressed, reading)
    return input
  }

  /// Returns the known inputs with this digest of the first record, compressed or uncompressed as `isCompressed` says.
  private func inputs(_ firstDigest: UInt128, isCompressed: Bool) throws(FileFailure) -> [LedgerInput] {
    let known = try ledger?.inputs(firstDigest: firstDigest, isCompressed: isCompressed) ?? []
    return known + recent.inputs(firstDigest: firstDigest, isCompressed: isCompressed)
  }

  private func newest(_ path: String, _ identity: FileIdentity) throws(FileFailure) -> LedgerInput? {
    let (device, inode) = (identity.device, identity.inode)
    if let input = recent.input(device: device, inode: inode) ?? recent.input(path: path) { return input }
    if let input = try ledger?.input(device: device, inode: inode) { return input }
    return try ledger?.input(path: path)
  }

  private func hasSameSize(_ byteCount: Int64) throws(FileFailure) -> Bool {
    if recent.hasInput(storedBytes: byteCount) { return true }
    return try ledger?.input(storedBytes: byteCount) != nil
  }

  private func sameContent(_ content: ContentDigest) throws(FileFailure) -> LedgerInput? {
    if let input = recent.input(digest: content.value, records: content.count) { return input }
    return try ledger?.input(digest: content.value, records: content.count)
  }
}

/// The part of an input that is read to find inputs with the same content.
enum ScanDepth {
  /// The first record alone.
  case firstRecord
  /// The whole input; the digest is also kept at these record counts.
  case all(watching: Set<Int64>)
}

extension LedgerInput {
  /// Tells if all records of a file are in the tables, and the file has not changed since: its size, the time of its last
  /// change and the settings of reading are the same.
  fileprivate func isUnchanged(_ identity: FileIdentity, _ reading: Int64) -> Bool {
    phase == .complete && changed != 0 && changed == identity.changed && storedBytes == identity.byteCount
      && device == identity.device && inode == identity.inode && self.reading == reading
  }

  /// Returns this input if `content` begins with its records, or this input without its last record if only that one
  /// differs, as a record does that was cut at the end; nil if `content` begins with other records.
  fileprivate func part(of content: ContentDigest) -> LedgerInput? {
    guard let reached = content.at(records) else { return nil }
    if reached.value == digest { return self }
    guard phase == .complete, records > 0, reached.prefix == prefixDigest else { return nil }
    var part = self
    part.records -= 1
    part.digest = prefixDigest
    return part
  }

  /// Takes over the record count and the digests of an input whose records are in the tables.
  fileprivate mutating func continues(_ other: LedgerInput) {
    (records, digest, prefixDigest) = (other.records, other.digest, other.prefixDigest)
    firstDigest = other.firstDigest
  }

  /// Takes over the record count and the digests of all content of the input, whose records are in the tables.
  fileprivate mutating func continues(_ content: ContentDigest) {
    (records, digest, prefixDigest, firstDigest) = (content.count, content.value, content.prefix, content.first)
  }
}
