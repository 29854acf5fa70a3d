internal import Base
package import DurableFiles

/// A writer that makes whole lines durable.
package protocol DurableLineWriter: Sendable {
  /// Writes whole lines. On return they survive a loss of power; if this throws, they must not be relied on.
  mutating func write(_ bytes: [UInt8]) throws(FileFailure)
  /// Tests if this number of bytes can be written now.
  mutating func probe(byteCount: Int) throws(FileFailure)
  /// The time that the last write spent in fsync.
  var synchronizationTime: Duration { get }
}

/// A writer that appends the rows of `s2s_events` to parts, a new one each day and at each start.
///
/// The rows are an append-only table of the receiver and not of the consumer: they need no verification, no copies are
/// sought, and so the commit of postbacks does not have to know them.
package struct SessionEventWriter: DurableLineWriter {
  private let folder: String
  private let lock: LockFile
  private var part: (path: String, day: Int64, byteCount: Int64)?
  private var lastTime: Int64 = 0
  package private(set) var synchronizationTime = Duration.zero

  private static let partBytes: Int64 = 256 << 20

  /// Creates a writer into a folder, which is created if it is missing. Lines that a killed writer has not finished are cut;
  /// no sender was told that they are durable.
  package init(_ path: String) throws(FileFailure) {
    folder = try DurableFolder(making: path).path
    lock = try LockFile("\(folder)/.lock") { holder in
      FileFailure(.locked, path, "Another process writes events into this directory: \(holder)", advice: "End it first")
    }
    for name in try DurableFolder(folder).names() where name.hasPrefix("part-") && name.hasSuffix(".jsonl") {
      try Self.cutUnfinishedLine(of: "\(folder)/\(name)")
    }
  }

  package mutating func write(_ bytes: [UInt8]) throws(FileFailure) {
    let day = Timestamp.now.daysSince1970
    if part.map({ $0.day != day || $0.byteCount >= Self.partBytes }) ?? true { part = nil }
    var begun: (path: String, byteCount: Int64)?
    if let part { begun = (part.path, part.byteCount) }
    let (path, byteCount) = if let begun { begun } else { try makePart() }
    do throws(FileFailure) {
      let file = try DurableFile(path, .appending)
      try file.append(bytes.span)
      let start = ContinuousClock.now
      try file.synchronize()
      synchronizationTime = .now - start
      part = (path, day, byteCount + Int64(bytes.count))
    } catch {
      // The next write begins another part, so that a line which could not be cut off harms nothing after it.
      part = nil
      try? DurableFile(path, .appending).truncate(to: byteCount)
      throw error
    }
  }

  package mutating func probe(byteCount: Int) throws(FileFailure) {
    let path = "\(folder)/.probe"
    let file = try DurableFile(path, .creating)
    defer { try? DurableFolder(folder).remove(".probe") }
    try file.append([UInt8](repeating: UInt8(ascii: "\n"), count: max(byteCount, 1)).span)
    try file.synchronize()
  }

  private mutating func makePart() throws(FileFailure) -> (path: String, byteCount: Int64) {
    lastTime = max(Timestamp.now.milliseconds, lastTime + 1)
    let chance = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    let path = "\(folder)/part-\(lastTime)-\(chance).jsonl"
    _ = try DurableFile(path, .creating)
    try DurableFolder(folder).synchronize()
    return (path, 0)
  }

  private static func cutUnfinishedLine(of path: String) throws(FileFailure) {
    let file = try DurableFile(path, .appending)
    let byteCount = try file.byteCount()
    var end = byteCount
    while end > 0 {
      let start = max(end - (64 << 10), 0)
      var block = [UInt8](repeating: 0, count: Int(end - start))
      let count = try file.read(into: &block, at: start)
      if let newline = block[..<count].lastIndex(of: UInt8(ascii: "\n")) {
        end = start + Int64(newline) + 1
        break
      }
      end = start
    }
    if end < byteCount { try file.truncate(to: end) }
  }
}
