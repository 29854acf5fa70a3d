internal import DurableFiles
internal import Ledger

/// The mark of the last commit that removed parts, in a file beside the tables.
///
/// A state without that commit is older than the removal, as after a restore of the state alone: it has parts that are gone.
enum RemovalMark {
  /// The name of the file.
  static let fileName = "_removal"

  /// Writes the mark, before the first file of a part is removed. A full disk, which the removal makes room on, has none.
  static func write(_ mark: CommitMark, in output: String) {
    try? WholeFile.replace("\(output)/\(fileName)", with: Array("\(mark)\n".utf8), isDurable: true)
  }

  /// Writes the mark of a state beside the tables of its backup, if the output has a mark: copied over an output, the backup replaces
  /// that one.
  static func copy(_ output: String, _ state: String, to backup: String) throws(FileFailure) {
    guard try DurableFolder(output).byteCount(of: fileName) != nil, let mark = try Ledger.lastMark(state) else {
      return
    }
    write(mark, in: backup)
  }

  /// Throws if the state of an output does not have the commit of the mark, and complete parts of it are gone. `has` tells if the
  /// state has a commit.
  static func refuseOlderState(
    _ output: String,
    _ state: String,
    _ parts: [LedgerPart],
    _ has: (CommitMark) throws(FileFailure) -> Bool
  ) throws(FileFailure) {
    guard try DurableFolder(output).byteCount(of: fileName) != nil else { return }
    let text = String(decoding: try WholeFile.read("\(output)/\(fileName)", upTo: 1 << 10), as: UTF8.self)
    guard let mark = CommitMark(String(text.prefix { !$0.isNewline })), try !has(mark) else { return }
    var gone: [String] = []
    for part in parts where part.phase == .complete {
      guard try part.completeName(in: DurableFolder("\(output)/\(part.folder)")) == nil else { continue }
      gone.append("\(part.folder)/\(part.name)")
    }
    guard let first = gone.min() else { return }
    throw FileFailure(
      .cannotCreate,
      output,
      """
      The state in \(state) is older than the removal of \(gone.count) \(gone.count == 1 ? "part" : "parts") by \
      retain: it still has \(first)
      """,
      advice: """
        Restore the state and the tables of the same backup, or put these parts back, such as from an archive of retain. If you moved \
        them away yourself, remove \(output)/\(fileName)
        """
    )
  }
}
