package import DurableFiles
package import Ledger

/// The file of a part to which rows are appended. Its name is hidden until the part is complete.
package final class PartFile {
  /// The part with all rows so far. It may be committed once `synchronize` has returned.
  package private(set) var part: LedgerPart
  /// Indicates that the ledger does not record the part as it is now.
  var isChanged: Bool

  private let folder: DurableFolder
  private let path: String
  /// The open file; nil while the part is suspended.
  private var file: DurableFile?
  /// Indicates that all rows are durable.
  private var isDurable = true
  private var checksum: CRC32
  private var isNameDurable: Bool
  /// The offset up to which the system was asked to begin writing to the disk, in bytes.
  private var begun: Int64

  private static let bytesToBegin: Int64 = 4 << 20

  private init(_ part: LedgerPart, _ folder: DurableFolder, _ file: DurableFile, isNameDurable: Bool) {
    self.part = part
    self.folder = folder
    self.file = file
    path = file.path
    self.isNameDurable = isNameDurable
    isChanged = !isNameDurable
    checksum = CRC32(part.checksum)
    begun = part.length
  }

  /// Creates a part that the ledger does not know, and the table's folder in `output`. Overwrites an uncommitted file
  /// that a crash has left. Throws `.cannotCreate` if a complete part has this name.
  package static func create(_ part: LedgerPart, in output: String) throws(FileFailure) -> PartFile {
    precondition(part.length == 0 && part.phase == .open, "a new part is empty")
    // A folder that was moved away while it is in use must not be made anew.
    guard try DurableFolder(output).byteCount(of: ".") != nil else {
      throw .damaged(output, "The directory was removed or moved away while it was in use")
    }
    let folder = try DurableFolder(making: "\(output)/\(part.folder)")
    guard try folder.byteCount(of: part.name) == nil else {
      throw .unknownParts(["\(part.folder)/\(part.name)"], in: output)
    }
    let file = try DurableFile("\(folder.path)/\(part.hiddenName)", .updating)
    if try file.byteCount() > 0 { try file.truncate(to: 0) }
    return PartFile(part, folder, file, isNameDurable: false)
  }

  /// Opens a part of the ledger, and cuts off bytes that were not committed. Throws `.damaged` if the committed bytes
  /// are missing or have changed.
  package static func reopen(_ part: LedgerPart, in output: String) throws(FileFailure) -> PartFile {
    let folder = DurableFolder("\(output)/\(part.folder)")
    guard try folder.byteCount(of: part.name) == nil else {
      throw .damaged("\(folder.path)/\(part.name)", "The file exists, but the ledger does not have it as complete")
    }
    let path = "\(folder.path)/\(part.hiddenName)"
    guard try folder.byteCount(of: part.hiddenName) != nil else { throw .missingRows(of: part, path) }
    let file = try DurableFile(path, .updating)
    try verify(file, part)
    if try file.byteCount() > part.length { try file.truncate(to: part.length) }
    return PartFile(part, folder, file, isNameDurable: true)
  }

  /// Appends rows or the header of CSV. `next` is the CRC-32 of the bytes. They are not durable until `synchronize`.
  package func append(
    _ bytes: [UInt8],
    checksum next: UInt32,
    rows: Int,
    received: ReceiptSpan? = nil
  ) throws(FileFailure) {
    try place(bytes, checksum: next, rows: rows, received: received).perform()
  }

  /// Gives rows their place behind all others, as `append` does, and returns the write, which may be performed on any
  /// thread. It must be done before `synchronize` or `suspend` is called.
  func place(
    _ bytes: [UInt8],
    checksum next: UInt32,
    rows: Int,
    received: ReceiptSpan? = nil
  ) throws(FileFailure) -> PartWrite {
    precondition(part.phase == .open, "a complete part stays as it is")
    isChanged = true
    isDurable = false
    var write = PartWrite(file: try opened(), bytes: bytes, offset: part.length)
    checksum.append(next, byteCount: bytes.count)
    part.checksum = checksum.value
    part.length += Int64(bytes.count)
    let hasUnknownTimes = part.rows > 0 && part.received == nil
    part.rows += Int64(rows)
    part.received = .union(part.received, received)
    if hasUnknownTimes { part.received?.latest = nil }
    if part.length - begun >= Self.bytesToBegin {
      // Writes of the last range may have come after the system was asked for it.
      write.begins = max(0, begun - Self.bytesToBegin)..<part.length
      begun = part.length
    }
    return write
  }

  /// The file, if it has rows that are not durable.
  var fileToSynchronize: DurableFile? { isDurable ? nil : file }

  /// Makes all rows durable, so that `part` may be committed.
  package func synchronize() throws(FileFailure) {
    if !isDurable || !isNameDurable { try opened().synchronize() }
    isDurable = true
    guard !isNameDurable else { return }
    try folder.synchronize()
    isNameDurable = true
  }

  /// Makes all rows durable and closes the file; the next rows open it again. Fewer files are open at a time then.
  func suspend() throws(FileFailure) {
    try synchronize()
    file = nil
  }

  /// Throws `.damaged` if the file was removed, moved or replaced.
  func verifyName() throws(FileFailure) {
    if let file { return try file.verifyName() }
    guard try folder.byteCount(of: part.hiddenName) == part.length else { throw .missingRows(of: part, path) }
  }

  /// Indicates that neither the hidden file exists nor one with the final name.
  func isMissing() throws(FileFailure) -> Bool {
    guard try folder.byteCount(of: part.hiddenName) == nil else { return false }
    return try folder.byteCount(of: part.name) == nil
  }

  /// Indicates that the file is closed until the next rows.
  var isSuspended: Bool { file == nil }

  private func opened() throws(FileFailure) -> DurableFile {
    if let file { return file }
    guard try folder.byteCount(of: part.hiddenName) != nil else { throw .missingRows(of: part, path) }
    let opened = try DurableFile(path, .updating)
    file = opened
    return opened
  }

  /// Marks the part as complete: no more rows come. It is then committed, and after that published.
  package func complete() {
    part.phase = .complete
    isChanged = true
  }

  /// Gives the file its final name, durably, so that readers see it. Call it only after the complete part is committed.
  package func publish() throws(FileFailure) {
    precondition(part.phase == .complete, "only a complete part is published")
    try folder.rename(part.hiddenName, to: part.name)
  }

  /// Publishes a part that is committed as complete, if a crash came before that. Throws `.damaged` if the file is
  /// missing or has another length.
  package static func publish(_ part: LedgerPart, in output: String) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(part.folder)")
    guard try folder.byteCount(of: part.hiddenName) == nil else { return try reopen(part, in: output).publish() }
    let path = "\(folder.path)/\(part.name)"
    guard let length = try folder.byteCount(of: part.name) else { throw .damaged(path, "The file is missing") }
    guard length == part.length else {
      throw .damaged(path, "The file has \(length) bytes, and \(part.length) are committed")
    }
  }

  /// Throws `.damaged` unless a file begins with the committed bytes of a part. Passes these bytes to `body` in pieces.
  static func verify(
    _ file: DurableFile,
    _ part: LedgerPart,
    _ body: (Span<UInt8>) throws(FileFailure) -> Void = { _ in }
  ) throws(FileFailure) {
    guard let checksum = try file.readPrefix(part.length, body) else {
      throw .damaged(file.path, "The file has \(try file.byteCount()) bytes, and \(part.length) are committed")
    }
    guard checksum.value == part.checksum else {
      throw .damaged(file.path, "The file is damaged: its \(part.length) committed bytes do not have their checksum")
    }
  }
}

extension FileFailure {
  /// Returns the failure for the missing file of an open part: its committed rows are lost.
  static func missingRows(of part: LedgerPart, _ path: String) -> FileFailure {
    FileFailure(
      .damaged,
      path,
      "The file is missing, and with it \(part.rows) committed rows",
      advice:
        "Put it back, restore the state folder and the tables from the same backup, or make them anew from the files in "
        + "done of the spool: docs/recovery.md describes it"
    )
  }
}

/// Rows that have their place in the file of a part and are not written yet.
package struct PartWrite: Sendable {
  fileprivate let file: DurableFile
  fileprivate let bytes: [UInt8]
  fileprivate let offset: Int64
  /// The range of the file that the system is asked to begin writing to the disk; empty if none is.
  fileprivate var begins: Range<Int64> = 0..<0

  /// Writes the rows. They are not durable yet.
  package func perform() throws(FileFailure) {
    try file.write(bytes.span, at: offset)
    if !begins.isEmpty { file.beginWriting(from: begins.lowerBound, count: begins.upperBound - begins.lowerBound) }
  }
}
