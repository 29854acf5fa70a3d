internal import Glibc

/// The names in a folder of a spool, in one pass and without a look at the files.
@safe
struct SpoolListing: ~Copyable {
  private let path: String
  private let stream: OpaquePointer

  /// What is in the folder at `path`, sorted by the bytes of the names; hidden names do not count.
  static func names(in path: String) throws(SpoolFailure) -> [SpoolName] {
    let listing = try SpoolListing(path)
    var names: [SpoolName] = []
    while let name = try listing.next() { names.append(name) }
    // There is no zero in a name, and strcmp compares bytes without signs.
    names.sort { unsafe strcmp($0.text, $1.text) < 0 }
    return names
  }

  private init(_ path: String) throws(SpoolFailure) {
    guard let stream = unsafe opendir(path) else { throw .system(.gone, path, "cannot be listed") }
    self.path = path
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  private func next() throws(SpoolFailure) -> SpoolName? {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .system(.io, path, "cannot be listed") }
        return nil
      }
      let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      guard unsafe start[0] != CChar(bitPattern: UInt8(ascii: ".")) else { continue }
      if let name = unsafe String(validatingCString: start) { return SpoolName(text: name, raw: nil) }
      let raw = unsafe Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
      return SpoolName(text: SpoolName.printable(raw.dropLast().map { UInt8(bitPattern: $0) }), raw: raw)
    }
  }
}
