package import DurableFiles
internal import Glibc
internal import Ledger
package import PostbackPipeline
internal import Signatures
internal import Synchronization
internal import TableReading

/// A folder of results that were calculated for parts of tables, each under the digest of all that it follows from.
///
/// A file never changes. One that is missing, or that is damaged, is calculated again, so that the folder may be removed at any
/// time. Only one process at a time may use a folder, and several of its tasks may work with it.
package final class PartCache: Sendable {
  /// A kind of files.
  package enum Kind: String, CaseIterable, Sendable {
    /// The keys of the postbacks of a part of `skan_postbacks`.
    case keys
    /// The keys of the postbacks whose copies are in a part of `skan_rejects`.
    case copied
    /// The copies of the postbacks of a part of `skan_postbacks`.
    case copies
    /// The parts whose copies were found.
    case matching
    /// The rows of `skan_settled` and `skan_settled_events`, with their counts.
    case settled
    /// The rows of `skan_enriched`, with their counts.
    case enriched
    /// The counts of the daily tables.
    case daily
    /// The counts of the page.
    case page
    /// The senders of the postbacks of a part of `skan_postbacks`.
    case senders
    /// The values that forwarders sent, of a part of `skan_settled`.
    case forwarded
    /// The counts for the signals.
    case signals
    /// The counts of the postbacks of Apple Ads.
    case appleAds
    /// The postbacks that rows of vendors are compared with.
    case vendors
  }

  /// The number of the formats and of the rules of calculation of the files; another one makes all of the folder old.
  private static let format = 16

  /// The path of the folder.
  package let path: String
  private let folder: DurableFolder
  private let program: String
  /// The number of the temporary folders that had this path before; nil if the folder stays.
  private let turn: Int?
  /// Further folders, whose files are read and never changed.
  private let others: [DurableFolder]
  private let used = Mutex<Set<String>>([])
  /// The names of files in the other folders that count as removed.
  private let hidden = Mutex<Set<String>>([])
  /// The number of files that were begun in this process.
  private static let begun = Atomic<Int>(0)
  /// The object that keeps other processes from using the folder; nil if it is kept elsewhere.
  private let keeper: (any Sendable)?
  /// The numbers of the temporary folders of this process by path. A task that ends late may still hold one whose path another has.
  private static let turns = Mutex<[String: Int]>([:])

  /// Opens a folder, which is made if it does not exist. Files of another version of the program are not used. Results that it
  /// lacks are read from `other`, a folder that other processes may use, where they are there.
  package convenience init(
    in path: String,
    readingAlso other: String? = nil,
    program: String = "",
    keeper: (any Sendable)? = nil
  ) throws(PipelineFailure) {
    try self.init(path, program, turn: nil, over: other.map { [DurableFolder($0)] } ?? [], keeper)
  }

  /// Makes an empty folder, which is removed at the end.
  package convenience init(temporary path: String) throws(PipelineFailure) {
    let turn = Self.nextTurn(of: path)
    try PipelineFailure.state { () throws(FileFailure) in try Self.remove(path) }
    try self.init(path, "", turn: turn, over: [], nil)
  }

  /// Takes an empty folder of this process, which is removed at the end, for the results that an output does not have. Those that it
  /// has are read, and nothing is written there. The folder is not made anew, because its rights are those that it was made with.
  package convenience init(
    temporary path: String,
    over output: String,
    program: String,
    keeper: (any Sendable)? = nil
  ) throws(PipelineFailure) {
    let store = try PipelineFailure.state { () throws(FileFailure) in
      try DerivedStore.folder(in: output).path
    }
    let others = [DerivedStore.cacheName, DerivedStore.pageName].map { DurableFolder("\(store)/\($0)") }
    try self.init(path, program, turn: Self.nextTurn(of: path), over: others, keeper)
  }

  private init(
    _ path: String,
    _ program: String,
    turn: Int?,
    over others: [DurableFolder],
    _ keeper: (any Sendable)?
  ) throws(PipelineFailure) {
    (self.path, self.program, self.turn, self.keeper) = (path, program, turn, keeper)
    self.others = others
    folder = DurableFolder(path)
    try PipelineFailure.state { [folder] () throws(FileFailure) in try folder.makeAlone() }
  }

  /// Takes a path, before its folder is made: no earlier object removes the folder from then on.
  private static func nextTurn(of path: String) -> Int {
    turns.withLock { turns in
      turns[path, default: 0] += 1
      return turns[path, default: 0]
    }
  }

  deinit {
    guard let turn else { return }
    Self.turns.withLock { turns in
      if turns[path] == turn { try? folder.removeWithFiles() }
    }
  }

  /// Removes a folder with all results, if it is there.
  package static func remove(_ path: String) throws(FileFailure) {
    let folder = DurableFolder(path)
    if try folder.byteCount(of: ".") != nil { try folder.removeWithFiles() }
  }

  /// Returns the name of a file of a kind that follows from some texts.
  package func name(_ kind: Kind, _ inputs: [String]) throws(PipelineFailure) -> String {
    "\(kind.rawValue)-\(try digest(inputs))"
  }

  /// Returns the digest of some texts, and of the version of the program, in 32 hexadecimal digits.
  package func digest(_ inputs: [String]) throws(PipelineFailure) -> String {
    let all = (["\(Self.format)", program] + inputs).map { "\($0.utf8.count) \($0)\n" }.joined()
    return try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      var hash = try SHA256()
      return String(try hash.hexadecimalDigest(of: all).prefix(32))
    }
  }

  // MARK: - Files

  /// Returns the bytes of a file; nil if it is not there or damaged.
  package func read(_ name: String, _: UInt8.Type) throws(PipelineFailure) -> [UInt8]? { try words(name) }

  /// Returns the keys in a file; nil if it is not there or damaged.
  package func read(_ name: String, _: UInt128.Type) throws(PipelineFailure) -> [UInt128]? { try words(name) }

  /// Adds a file of bytes. It is not durable: after a crash of the system it may be damaged, which is seen when it is read.
  package func add(_ name: String, _ bytes: [UInt8]) throws(PipelineFailure) { try write(name) { $0.append(bytes) } }

  /// Adds a file of keys, which is not durable either.
  package func add(_ name: String, _ keys: [UInt128]) throws(PipelineFailure) { try write(name) { $0.append(keys) } }

  /// Returns a result with a name; nil if it is not there or damaged.
  package func result<Result: PartResult>(_ name: String, _: Result.Type = Result.self) throws(PipelineFailure)
    -> Result?
  {
    guard let file = try summed(name), file.byteCount > 0 else { return nil }
    return file.result()
  }

  /// Returns a file of bytes; nil if it is not there or damaged.
  func summed(_ name: String) throws(PipelineFailure) -> SummedBytes? {
    use([name])
    return try PipelineFailure.state { () throws(FileFailure) in
      guard let (place, _) = try find(name), let file = try opened(name, in: place) else { return nil }
      return try SummedBytes(file)
    }
  }

  /// Opens a file of a folder; nil if it is gone from one of others, who may remove their files at any time.
  private func opened(_ name: String, in place: String) throws(FileFailure) -> DurableFile? {
    do throws(FileFailure) { return try DurableFile("\(place)/\(name)", .reading) } catch {
      if place != path { return nil }
      throw error
    }
  }

  /// Adds a result, which is whole.
  package func add(_ name: String, _ result: some PartResult) throws(PipelineFailure) {
    try write(name) { file in
      var writer = ResultWriter { file.append($0) }
      result.encode(&writer)
      writer.flush()
    }
  }

  private func words<Word: FixedWidthInteger & BitwiseCopyable>(_ name: String) throws(PipelineFailure) -> [Word]? {
    use([name])
    return try PipelineFailure.state { () throws(FileFailure) in
      let size = MemoryLayout<Word>.stride
      guard let (place, length) = try find(name), length >= 8, (Int(length) - 8) % size == 0 else { return nil }
      guard let file = try opened(name, in: place) else { return nil }
      var words = [Word](repeating: 0, count: (Int(length) - 8) / size)
      var end = [UInt64](repeating: 0, count: 1)
      guard try file.read(into: &words, at: 0) == Int(length) - 8, try file.read(into: &end, at: length - 8) == 8 else {
        return nil
      }
      var sum = FileSum()
      sum.add(words)
      return sum.value == end[0] ? words : nil
    }
  }

  /// Returns the folder that has a file, and its length; nil if there is none.
  private func find(_ name: String) throws(FileFailure) -> (folder: String, length: Int64)? {
    if let length = try folder.byteCount(of: name) { return (path, length) }
    guard !others.isEmpty, !hidden.withLock({ $0.contains(name) }) else { return nil }
    for other in others {
      if let length = try other.byteCount(of: name) { return (other.path, length) }
    }
    return nil
  }

  private func write(_ name: String, _ body: (SummedFile) -> Void) throws(PipelineFailure) {
    use([name])
    try PipelineFailure.state { () throws(FileFailure) in
      // Two tasks may write the same file at a time.
      let begun = "\(name)-\(Self.begun.add(1, ordering: .relaxed).newValue)"
      let file = try SummedFile(temporaryPath(begun))
      body(file)
      try file.finish()
      try publish(begun, as: name)
    }
  }

  /// Begins a file of rows, which `publish` completes.
  package func begin(_ name: String) throws(FileFailure) -> DurableFile {
    try DurableFile(temporaryPath(name), .creating)
  }

  /// Gives a file that `begin` has begun a name, under which it is found.
  package func publish(_ begun: String, as name: String) throws(FileFailure) {
    use([name])
    guard unsafe rename(temporaryPath(begun), "\(path)/\(name)") == 0 else {
      throw .system(.io, "\(path)/\(name)", "The file cannot be renamed")
    }
  }

  private func temporaryPath(_ name: String) -> String { "\(path)/.\(name).inprogress" }

  /// Tells if a file is there and has a length.
  package func has(_ name: String, _ length: Int64) throws(FileFailure) -> Bool {
    use([name])
    return try find(name)?.length == length
  }

  /// Tells if a file is there, although it may be damaged.
  package func has(_ name: String) throws(FileFailure) -> Bool {
    use([name])
    return try find(name) != nil
  }

  /// The failure of a file that was damaged or removed after it was written or checked.
  package func damage(of name: String) -> PipelineFailure {
    let event = "The file was damaged while it was used"
    return .state(FileFailure(.damaged, "\(path)/\(name)", event, advice: "Check the disk, then try again"))
  }

  /// Removes a file, if it is there.
  package func remove(_ name: String) throws(FileFailure) {
    use([name])
    try folder.remove(name)
    if !others.isEmpty { hidden.withLock { _ = $0.insert(name) } }
  }

  /// Forgets which files were used, so that `removeOthers` removes those that are not used from here on.
  package func forgetUses() { used.withLock { $0.removeAll() } }

  /// Notes that files are still used.
  package func use(_ names: [String]) { used.withLock { $0.formUnion(names) } }

  /// Gives a file a further name at another path.
  package func link(_ name: String, to other: String) throws(FileFailure) { try folder.link(name, to: other) }

  /// Removes the files of some kinds that were not used since the folder was opened, and those that were never completed.
  package func removeOthers(of kinds: [Kind]) throws(FileFailure) {
    let used = used.withLock { $0 }
    hidden.withLock { $0.formIntersection(used) }
    for name in try folder.names() where !used.contains(name) {
      let isOfKind = kinds.contains { name.hasPrefix("\($0.rawValue)-") }
      if isOfKind || name.hasPrefix(".") { try folder.remove(name) }
    }
  }
}
