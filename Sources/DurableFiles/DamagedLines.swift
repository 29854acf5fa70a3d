internal import Base

extension DurableFile {
  /// Cuts a file of lines before the first line that a crash has left unfinished or damaged, durably.
  ///
  /// A crash loses any sectors of what was not durable: a line may end, and have something else in its middle. `isWhole` says
  /// if a line, without its line feed, is as it was written. Only lines that begin in the last `byteCount` bytes are looked at,
  /// at least as many as are ever written before they are made durable.
  ///
  /// A disk may damage durable lines too. So complete lines are not lost: a hidden file in the same folder keeps them. Returns
  /// its path; nil if at most an unfinished line was cut.
  package func cutDamagedLines(
    inLast byteCount: Int64,
    isWhole: (ArraySlice<UInt8>) -> Bool
  ) throws(FileFailure) -> String? {
    let newline = UInt8(ascii: "\n")
    let size = try self.byteCount()
    var length = min(byteCount, size)
    while true {
      // Begins one byte earlier, to see if a line begins at the first byte.
      let offset = max(size - length - 1, 0)
      var bytes = [UInt8](repeating: 0, count: Int(size - offset))
      let count = try read(into: &bytes, at: offset)
      let begin = offset == 0 ? 0 : bytes[..<count].firstIndex(of: newline).map { $0 + 1 }
      guard var start = begin else {
        // The last line is longer.
        length = min(length * 2, size)
        continue
      }
      while let end = bytes[start..<count].firstIndex(of: newline), isWhole(bytes[start..<end]) { start = end + 1 }
      guard start < count else { return nil }
      let kept = bytes[start..<count].contains(newline) ? try keep(Array(bytes[start..<count])) : nil
      try truncate(to: offset + Int64(start))
      return kept
    }
  }

  /// Writes bytes into a new hidden file beside this one, durably. Returns its path.
  private func keep(_ bytes: [UInt8]) throws(FileFailure) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let folder = slash == path.startIndex ? "." : String(path[..<slash])
    let name = path[slash...].drop { $0 == "/" }
    let kept = try DurableFile("\(folder)/.damaged-\(Timestamp.now.milliseconds)-\(name)", .creating)
    try kept.append(bytes.span)
    try kept.synchronize()
    try DurableFolder(folder).synchronize()
    return kept.path
  }
}
