/// The file `commit`: the number of the last commit that is known to be durable, kept apart from the ledger.
///
/// SQLite takes a ledger whose write-ahead log was removed for an older one that is in order, and an older ledger looks
/// as it does after a crash. So each commit goes: the transaction, durable; then its number here, durable; then what
/// follows from it. A ledger that is behind the number here has lost commits. No crash leaves that: one between the two
/// leaves the ledger ahead. And of a ledger that is ahead nothing was told to anybody.
///
/// The numbers are written in turn to two places that are a block apart, so that a write that is cut off spoils one only,
/// and the other has the number before.
final class CommitWitness {
  static let name = "commit"

  private static let spacing: Int64 = 4096
  /// “pbcommit”, mixed into the check word.
  private static let magic: UInt64 = 0x7062_636F_6D6D_6974

  private let file: StateFile

  /// Opens the file, or makes it before the first commit; throws where the ledger has lost commits.
  init(_ folder: DurableFolder, ledger commits: Int64) throws(StateFailure) {
    let isNew = try folder.byteCount(of: Self.name) == nil
    if isNew, commits > 0 {
      throw .damaged("\(folder.path)/\(Self.name)", "is gone, and the ledger has \(commits) commits")
    }
    file = try StateFile("\(folder.path)/\(Self.name)", .updating)
    let number = try Self.number(in: file)
    try Self.check(number, folder, ledger: commits)
    guard number != nil || commits == 0 else { throw .damaged(file.path, "holds no number of a commit") }
    // A ledger that is ahead was left by a crash, and what follows from its last commit is done after this.
    if number != commits { try record(commits) }
    if isNew { try folder.synchronize() }
  }

  /// Records that a commit is durable.
  func record(_ commit: Int64) throws(StateFailure) {
    let number = UInt64(bitPattern: commit)
    let words = [number.littleEndian, Self.check(number).littleEndian]
    try file.write(words.span, at: commit % 2 * Self.spacing)
    try file.synchronize()
  }

  /// The number that is recorded, nil where there is none.
  static func number(in folder: DurableFolder) throws(StateFailure) -> Int64? {
    guard try folder.byteCount(of: name) != nil else { return nil }
    return try number(in: try StateFile("\(folder.path)/\(name)", .reading))
  }

  /// Throws where a ledger is behind the number that is recorded.
  static func check(_ number: Int64?, _ folder: DurableFolder, ledger commits: Int64) throws(StateFailure) {
    guard let number, number > commits else { return }
    throw .damaged(
      "\(folder.path)/\(Ledger.name)",
      "has lost commits: it has \(commits), and \(number) were made; was \(Ledger.name)-wal removed?"
    )
  }

  private static func number(in file: StateFile) throws(StateFailure) -> Int64? {
    var numbers: [Int64] = []
    for place in [0, spacing] {
      var words: [UInt64] = [0, 0]
      let count = try file.read(into: &words, at: place)
      let number = UInt64(littleEndian: words[0])
      if count == 16, UInt64(littleEndian: words[1]) == check(number) { numbers.append(Int64(bitPattern: number)) }
    }
    return numbers.max()
  }

  private static func check(_ number: UInt64) -> UInt64 {
    var checksum = CRC32()
    checksum.update([number.littleEndian].span)
    return magic ^ UInt64(checksum.value)
  }
}
