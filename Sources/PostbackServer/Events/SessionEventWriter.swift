internal import Base
package import DurableFiles
internal import JSON

/// A writer that appends the rows of `s2s_events` to parts, a new one each day and at each start.
///
/// The rows are an append-only table of the receiver and not of the consumer: they need no verification, no copies are
/// sought, and so the commit of postbacks does not have to know them. A part begins only when all lines of the one before
/// it are durable, so that a crash can leave damaged lines at the end of the last part alone.
package struct SessionEventWriter: DurableLineWriter {
  private struct Part {
    let name: String
    let day: Int64
    /// The length of the durable lines.
    var byteCount: Int64 = 0
  }

  private let folder: DurableFolder
  private let lock: LockFile
  private var part: Part?
  /// Indicates that the part may have bytes after its durable lines.
  private var isUncut = false
  /// The time in the name of the last part, in milliseconds since 1970.
  private var lastTime: Int64 = 0
  package private(set) var synchronizationTime = Duration.zero
  /// The path of the hidden file with damaged lines that were cut; nil if there are none.
  package let damaged: String?

  /// The most bytes of the lines of a request.
  static let requestBytes = 4 << 20
  /// The most bytes that are written at once, which a crash can damage: those of a group, or of a request.
  private static let groupBytes: Int64 = 8 << 20
  private static let partBytes: Int64 = 256 << 20

  /// Creates a writer into a folder, which is created if it is missing. Lines of the last part that a crash has left
  /// unfinished or damaged are cut: no sender was told that they are durable.
  package init(_ path: String) throws(FileFailure) {
    let folder = try DurableFolder(making: path)
    self.folder = folder
    lock = try LockFile("\(path)/.lock") { holder in
      FileFailure(.locked, path, "Another process writes events into this directory: \(holder)", advice: "End it first")
    }
    var last: (name: String, time: Int64)?
    for name in try folder.names() {
      guard let time = Self.time(in: name), time >= last?.time ?? .min else { continue }
      last = (name, time)
    }
    guard let last else {
      damaged = nil
      return
    }
    lastTime = last.time
    damaged = try DurableFile("\(path)/\(last.name)", .appending).cutDamagedLines(inLast: Self.groupBytes) { line in
      if case .object? = try? JSONValue(parsing: Array(line)) { true } else { false }
    }
  }

  package func reach() throws(FileFailure) {
    guard try folder.byteCount(of: ".") == nil else { return }
    throw FileFailure(.io, folder.path, "The folder is missing", advice: "Bring it back")
  }

  package mutating func write(_ bytes: [UInt8]) throws(FileFailure) {
    // A part may be moved away at any time.
    if let part, try folder.byteCount(of: part.name) == nil { self.part = nil }
    try cut()
    let day = Timestamp.now.daysSince1970
    if part.map({ $0.day != day || $0.byteCount >= Self.partBytes }) ?? true { part = try makePart(day) }
    guard let part else { return }
    isUncut = true
    do throws(FileFailure) {
      let file = try DurableFile("\(folder.path)/\(part.name)", .appending)
      try file.append(bytes.span)
      let start = ContinuousClock.now
      try file.synchronize()
      synchronizationTime = .now - start
    } catch {
      // If this fails too, the next write does it first.
      try? cut()
      throw error
    }
    self.part?.byteCount += Int64(bytes.count)
    isUncut = false
  }

  package mutating func attempt(byteCount: Int) throws(FileFailure) { try probe(byteCount: byteCount) }

  package mutating func probe(byteCount: Int) throws(FileFailure) {
    try cut()
    let file = try DurableFile("\(folder.path)/.probe", .creating)
    defer { try? folder.remove(".probe") }
    try file.append([UInt8](repeating: UInt8(ascii: "\n"), count: max(byteCount, 1)).span)
    try file.synchronize()
  }

  /// Cuts what a failed write has left.
  private mutating func cut() throws(FileFailure) {
    if isUncut, let part {
      try DurableFile("\(folder.path)/\(part.name)", .appending).truncate(to: part.byteCount)
    }
    isUncut = false
  }

  private mutating func makePart(_ day: Int64) throws(FileFailure) -> Part {
    lastTime = max(Timestamp.now.milliseconds, lastTime + 1)
    let part = Part(name: "part-\(lastTime)-\(String(UInt32.random(in: 0...UInt32.max), radix: 16)).jsonl", day: day)
    _ = try DurableFile("\(folder.path)/\(part.name)", .creating)
    try folder.synchronize()
    return part
  }

  /// Returns the time in the name of a part; nil if the name is not that of a part.
  private static func time(in name: String) -> Int64? {
    guard name.hasPrefix("part-"), name.hasSuffix(".jsonl") else { return nil }
    return Int64(name.dropFirst("part-".count).prefix { $0 != "-" })
  }
}
