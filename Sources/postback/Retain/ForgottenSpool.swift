internal import DurableFiles
internal import Glibc
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import Spool
internal import Tables

/// The files of a spool, from which the records are removed that a person's request covers.
struct ForgottenSpool {
  /// The path of the spool.
  let path: String
  /// The files in `done/` and `failed/` with such records.
  private var files: [String] = []
  /// The number of these records.
  private(set) var records = 0
  /// The number of records of others in which ids or addresses are masked.
  private(set) var masked = 0
  /// The places of records of others that name the person where nothing can be masked: a file and a line.
  private(set) var kept: [String] = []

  private static let longestRecord = 64 << 20

  /// Finds the postbacks that were sent from an address of the request, and adds them to it.
  init(_ path: String, _ request: inout RemovalRequest) async throws {
    self.path = path
    guard request.hasAddresses else { return }
    for file in try Self.waiting(in: path) + Self.read(in: path) {
      var found = request
      var reader = try SpoolRecordReader()
      try await Self.forEachRecord(of: file) { record, _ in
        let content = try reader.content(record)
        if let sender = content.sender, found.covers(address: sender.address), let id = content.transactionID {
          found.add(transactionID: id, receivedAt: sender.receivedAt)
        }
      }
      request = found
    }
  }

  /// Finds the records that are to be removed or masked: those of a request, and those of earlier ones. Throws
  /// if one of them waits to be read, or if a file cannot be written anew as it was.
  mutating func find(_ request: RemovalRequest, _ forgotten: ForgottenIDs) async throws {
    for file in try Self.waiting(in: path) {
      var isCovered = false
      try await Self.forEachCovered(of: file, request, forgotten) { _, coverage in
        isCovered = isCovered || coverage != .nothing
      }
      guard isCovered else { continue }
      throw CommandFailure(
        .locked,
        "\(file): The file waits to be read, and the request covers a record in it. Let postback watch read it, then "
          + "run again."
      )
    }
    for file in try Self.read(in: path) {
      guard try request.isEmpty || !StoredCompression.isOther(file) else {
        throw CommandFailure(
          .configuration,
          "\(file): The file is compressed in a format that is not read, so it was not searched, and nothing was removed "
            + "from the tables and the spool. Decompress it, or use gzip or zstd, then run again."
        )
      }
      var (removed, masked, kept) = (0, 0, [(line: Int, newLine: Int)]())
      var isWhole = true
      var count = 0
      try await Self.forEachCovered(of: file, request, forgotten) { record, coverage in
        switch coverage {
        case .own: removed += 1
        case .mention: masked += 1
        case nil: kept.append((record.line, count - removed + 1))
        case .nothing: break
        }
        count += 1
        if case .tooLarge = record.defect { isWhole = false }
      }
      // A file that is written anew has a record on each line.
      self.kept += kept.map { "\(file):\(removed + masked > 0 ? $0.newLine : $0.line)" }
      guard removed + masked > 0 else { continue }
      guard isWhole else {
        throw CommandFailure(
          .configuration,
          "\(file): The file has a record of more than \(Self.longestRecord >> 20) MiB, and cannot be written anew. "
            + "Remove the person's records from it, or the file."
        )
      }
      try SpoolFileAttributes(file.systemPath)?.requireOwner(file)
      files.append(file)
      records += removed
      self.masked += masked
    }
  }

  /// Writes the files anew without the records, durably, each with the name, owner, mode and times that it had.
  func rewrite(_ request: RemovalRequest, _ forgotten: ForgottenIDs) async throws {
    for file in files {
      guard let attributes = SpoolFileAttributes(file.systemPath) else { continue }
      var text: [UInt8] = []
      try await Self.forEachCovered(of: file, request, forgotten) { record, coverage in
        switch coverage {
        case .own: return
        case .mention(let masked): text += masked
        case nil, .nothing: text += record.bytes
        }
        text.append(UInt8(ascii: "\n"))
      }
      let slash = file.lastIndex(of: "/") ?? file.startIndex
      let (folder, name) = (DurableFolder(String(file[..<slash])), String(file[slash...].dropFirst()))
      let hidden = ".\(name).rewritten"
      let new = try DurableFile("\(folder.path)/\(hidden)", .creating)
      try new.append(StoredCompression(of: file).encode(text).span)
      try new.synchronize()
      try attributes.apply(to: new.path)
      try folder.rename(hidden, to: name)
    }
  }

  /// The files that wait to be read, or are written.
  private static func waiting(in path: String) throws(FileFailure) -> [String] {
    var waiting: [String] = []
    for name in ["new", "tmp", "."] { waiting += try files(in: "\(path)/\(name)", isDeep: false) }
    return waiting
  }

  /// The files that were read, also those in folders for each hour.
  private static func read(in path: String) throws(FileFailure) -> [String] {
    try files(in: "\(path)/done", isDeep: true) + files(in: "\(path)/failed", isDeep: true)
  }

  private static func files(in folder: String, isDeep: Bool) throws(FileFailure) -> [String] {
    guard try DurableFolder(folder).byteCount(of: ".") != nil else { return [] }
    var files: [String] = []
    for name in try Directory.names(in: folder) where !name.hasPrefix(".") && !name.hasSuffix(".reason") {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG { files.append(path) }
      if isDeep, status.st_mode & S_IFMT == S_IFDIR { files += try Self.files(in: path, isDeep: true) }
    }
    return files
  }

  /// A record of a file.
  private struct FileRecord {
    let bytes: [UInt8]
    let line: Int
    let defect: FramingDefect?
  }

  private static func forEachCovered(
    of file: String,
    _ request: RemovalRequest,
    _ forgotten: ForgottenIDs,
    _ body: (FileRecord, RemovalRequest.Coverage?) -> Void
  ) async throws {
    var reader = try SpoolRecordReader()
    try await forEachRecord(of: file) { bytes, record in
      let coverage = try reader.coverage(bytes, request, forgotten)
      body(FileRecord(bytes: bytes, line: record.line, defect: record.defect), coverage)
    }
  }

  private static func forEachRecord(of file: String, _ body: ([UInt8], Record) throws -> Void) async throws {
    let limits = ReadLimits(recordBytes: longestRecord)
    for try await batch in PostbackReader(inputs: try InputFile.enumerate([file]), limits: limits) {
      for record in batch.records { try body(Array(batch.bytes[record.bytes.indices]), record) }
    }
  }
}

extension String {
  fileprivate var systemPath: [CChar] { Array(utf8CString) }
}
