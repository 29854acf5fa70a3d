internal import DurableFiles

/// The file `commit`: the number of the last commit that is known to be durable, kept apart from the ledger.
///
/// SQLite takes a ledger whose write-ahead log was removed for an intact older ledger, and an older ledger looks the
/// same as one after a crash. So each commit makes its transaction durable first, then its number in this file, and
/// only then does the rest, such as publishing parts. A ledger with fewer commits than the number here has lost
/// commits. No crash causes that: a crash between the two steps leaves the ledger ahead, and nobody was told of its
/// last commit.
///
/// The numbers are written in turn to two places, 4096 bytes apart. A write that is cut off damages only one of them,
/// and the other has the number before.
final class CommitMarker {
  static let name = "commit"

  private static let spacing: Int64 = 4096
  /// The bytes “pbcommit”, combined with the checksum of each number.
  private static let magic: UInt64 = 0x7062_636F_6D6D_6974

  private let file: DurableFile

  /// Opens the file, or creates it before the first commit. Throws `.damaged` if the ledger has lost commits, or if the
  /// file or its number is missing.
  init(_ folder: DurableFolder, ledger commits: Int64) throws(FileFailure) {
    let isNew = try folder.byteCount(of: Self.name) == nil
    if isNew, commits > 0 {
      throw .damaged("\(folder.path)/\(Self.name)", "The file is missing, and the ledger has \(commits) commits")
    }
    file = try DurableFile("\(folder.path)/\(Self.name)", .updating)
    let number = try Self.number(in: file)
    try Self.check(number, folder, ledger: commits)
    guard number != nil || commits == 0 else {
      throw .damaged(file.path, "The file does not hold the number of a commit")
    }
    // After a crash the ledger can be ahead by a commit. Its number is recorded now, the rest is done later.
    if number != commits { try record(commits) }
    if isNew { try folder.synchronize() }
  }

  /// Creates the file for the copy of a ledger with this number of commits, durably.
  init(creating commits: Int64, in folder: DurableFolder) throws(FileFailure) {
    file = try DurableFile("\(folder.path)/\(Self.name)", .updating)
    try record(commits)
  }

  /// Records, durably, that a commit is durable.
  func record(_ commit: Int64) throws(FileFailure) {
    let number = UInt64(bitPattern: commit)
    let words = [number.littleEndian, Self.check(number).littleEndian]
    try file.write(words.span, at: commit % 2 * Self.spacing)
    try file.synchronize()
  }

  /// Throws `.damaged` if the file was removed or replaced.
  func verifyName() throws(FileFailure) { try file.verifyName() }

  /// Returns the recorded number; nil if there is no file or no valid number in it.
  static func number(in folder: DurableFolder) throws(FileFailure) -> Int64? {
    guard try folder.byteCount(of: name) != nil else { return nil }
    return try number(in: try DurableFile("\(folder.path)/\(name)", .reading))
  }

  /// Throws `.damaged` if the ledger has fewer commits than the recorded number. A nil number is never an error.
  static func check(_ number: Int64?, _ folder: DurableFolder, ledger commits: Int64) throws(FileFailure) {
    guard let number, number > commits else { return }
    throw .damaged(
      "\(folder.path)/\(Ledger.name)",
      "The ledger has lost commits: it has \(commits), and \(number) were made. Was \(Ledger.name)-wal removed?"
    )
  }

  private static func number(in file: DurableFile) throws(FileFailure) -> Int64? {
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
