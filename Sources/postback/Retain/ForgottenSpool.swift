internal import DurableFiles
internal import Glibc
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Tables

/// The files of a spool, from which the records are removed that a person's request covers.
struct ForgottenSpool {
  /// The path of the spool.
  let path: String
  /// The files in `done/` and `failed/` with such records.
  private(set) var files: [String] = []
  /// The number of these records.
  private(set) var records = 0

  /// Finds the records, and adds their transactions to the request. Throws if one of them waits to be read.
  init(_ path: String, _ request: inout RemovalRequest) async throws {
    self.path = path
    for folder in ["new", "tmp", ".", "done", "failed"] {
      for file in try Self.files(in: "\(path)/\(folder)") {
        var count = 0
        try await Self.forEachRecord(of: file) { bytes in
          guard Self.covers(bytes, request) else { return }
          count += 1
          if let id = Self.transactionID(of: bytes) { request.add(transactionID: id) }
        }
        guard count > 0 else { continue }
        guard ["done", "failed"].contains(folder) else {
          throw CommandFailure(
            .locked,
            "\(file): The file waits to be read, and the request covers a record in it. Let postback watch read it, then "
              + "run again."
          )
        }
        files.append(file)
        records += count
      }
    }
  }

  /// Writes the files anew without the records, as JSON Lines that are not compressed, durably.
  func rewrite(_ request: RemovalRequest) async throws {
    for file in files {
      var text: [UInt8] = []
      try await Self.forEachRecord(of: file) { bytes in
        if !Self.covers(bytes, request) { text += bytes + [UInt8(ascii: "\n")] }
      }
      let slash = file.lastIndex(of: "/") ?? file.startIndex
      let (folder, name) = (DurableFolder(String(file[..<slash])), String(file[slash...].dropFirst()))
      let hidden = ".\(name).rewritten"
      let new = try DurableFile("\(folder.path)/\(hidden)", .creating)
      guard unsafe chmod("\(folder.path)/\(hidden)", 0o640) == 0 else {
        throw FileFailure.system(.io, file, "The mode of the file cannot be set")
      }
      try new.append(text.span)
      try new.synchronize()
      let plain = [".gz", ".zst"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
      try folder.rename(hidden, to: plain)
      if plain != name {
        try folder.remove(name)
        try folder.synchronize()
      }
    }
  }

  private static func files(in folder: String) throws(FileFailure) -> [String] {
    guard try DurableFolder(folder).byteCount(of: ".") != nil else { return [] }
    return try Directory.names(in: folder).filter { !$0.hasPrefix(".") && !$0.hasSuffix(".reason") }
      .map { "\(folder)/\($0)" }.filter { path in
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      }
  }

  private static func forEachRecord(of file: String, _ body: ([UInt8]) -> Void) async throws {
    let limits = ReadLimits(recordBytes: 64 << 20)
    for try await batch in PostbackReader(inputs: try InputFile.enumerate([file]), limits: limits) {
      for record in batch.records { body(Array(batch.bytes[record.bytes.indices])) }
    }
  }

  /// Tells if a record has one of the ids or addresses, also where a JWS or base64 holds them.
  private static func covers(_ bytes: [UInt8], _ request: RemovalRequest) -> Bool {
    if request.covers(bytes) { return true }
    return transactionID(of: bytes).map { request.transactionIDs.contains($0.lowercased()) } ?? false
  }

  private static func transactionID(of bytes: [UInt8]) -> String? {
    var text = bytes + [UInt8](repeating: 0, count: JSONParser.padding)
    var parser = PostbackParser()
    _ = try? parser.parse(0..<bytes.count, of: &text)
    return parser.claims.transactionID.map { String(decoding: text[$0.indices], as: UTF8.self) }
  }
}
