package import DerivedTables
internal import DurableFiles
package import PostbackPipeline
internal import Signatures
internal import Synchronization
package import TableReading
package import Tables

/// The copies of accepted postbacks among the rejects, by the parts of `skan_postbacks` that have the postbacks.
///
/// Only new parts are read. The copies in new parts of the rejects are looked for among the keys of all postbacks, and the keys
/// of new postbacks among those of all copies.
package final class PartCopies: Sendable {
  /// The parts of `skan_postbacks`.
  package let parts: [TablePart]
  /// The number of copies, and of those whose bodies could not be read.
  package var counts: CopyMatching.Rejects { found.withLock { $0.counts } }
  /// The lines of `skan_rejects` that are not rows.
  package var unreadable: UnreadableRows { found.withLock { $0.unreadable } }

  package let cache: PartCache
  let jobs: Int
  let bufferBytes: Int
  package let rejects: [TablePart]
  /// The names of the files with the keys of each part, and of those with the keys of the copies in each part of the rejects.
  let keyNames: [String]
  let copiedNames: [String]
  /// The digests of the identities of the parts, and of those of the rejects.
  private let names: [String]
  private let rejectNames: [String]
  private let found: Mutex<Found>

  private struct Found: Sendable {
    var matching = CopyMatching()
    var counts = CopyMatching.Rejects()
    var unreadable = UnreadableRows()

    /// Adds the counts of the rejects that were read, and sums up those of all.
    mutating func add(_ search: CopySearch, _ rejectNames: [String]) {
      for (index, name) in rejectNames.enumerated() {
        if let rejected = search.counts[index] { matching.rejects[name] = rejected }
        counts.copies += matching.rejects[name]?.copies ?? 0
        counts.unreadableBodies += matching.rejects[name]?.unreadableBodies ?? 0
        // Parts with lines that are not rows are read each time, so that these are reported.
        if let lines = search.unreadable[index] {
          unreadable += lines
          matching.rejects[name] = nil
        }
      }
    }
  }

  /// Finds the copies of postbacks among rejects. They take memory of about twice `bufferBytes`.
  package init(
    _ accepted: TableFiles,
    among rejects: TableFiles,
    in cache: PartCache,
    jobs: Int,
    bufferBytes: Int = RecordSorter.usualBufferBytes
  ) async throws(PipelineFailure) {
    (self.cache, self.jobs, self.bufferBytes) = (cache, jobs, bufferBytes)
    (parts, self.rejects) = try PipelineFailure.state { () throws(FileFailure) in
      (try accepted.divided(), try rejects.divided())
    }
    names = try parts.map { part throws(PipelineFailure) in try cache.digest([part.identity]) }
    rejectNames = try self.rejects.map { part throws(PipelineFailure) in try cache.digest([part.identity]) }
    keyNames = names.map { "\(PartCache.Kind.keys.rawValue)-\($0)" }
    copiedNames = rejectNames.map { "\(PartCache.Kind.copied.rawValue)-\($0)" }
    let kept = try cache.read(Self.matchingName, UInt8.self).map { CopyMatching($0) }
    found = Mutex(Found(matching: kept ?? CopyMatching()))
    try await update()
  }

  private static let matchingName = "\(PartCache.Kind.matching.rawValue)-copies"

  /// The digest of the copies of a part; empty if there are none.
  package func digest(of part: Int) -> String { matched(part)?.digest ?? "" }

  private func matched(_ part: Int) -> CopyMatching.Part? { found.withLock { $0.matching.parts[names[part]] } }

  /// Returns the copies of a part.
  package func table(of part: Int) async throws(PipelineFailure) -> RecordTable {
    if let list = try kept(part) { return list.withoutSources().table() }
    try await findAgain([part])
    guard let list = try kept(part) else { throw cache.damage(of: matched(part)?.file ?? "") }
    return list.withoutSources().table()
  }

  /// Returns the copies of a part that were found, without those in other rejects than these; nil if the file was lost.
  private func kept(_ part: Int, in sources: Set<String>? = nil) throws(PipelineFailure) -> CopyList? {
    guard let file = matched(part)?.file, !file.isEmpty else { return CopyList() }
    let numbers = Dictionary(zip(rejectNames, rejectNames.indices.map { UInt32($0) })) { first, _ in first }
    return try cache.read(file, UInt8.self).map { bytes in
      CopyList(bytes) { sources?.contains($0) ?? true ? numbers[$0] : nil }
    }
  }

  /// Returns the keys of the postbacks of a part, in order.
  package func keys(of part: Int) async throws(PipelineFailure) -> [UInt128] {
    if let keys = try cache.read(keyNames[part], UInt128.self) { return keys }
    let keys = try await parts[part].files.postbackKeys(jobs: jobs)
    try cache.add(keyNames[part], keys)
    return keys
  }

  // MARK: - Update

  private func update() async throws(PipelineFailure) {
    let before = found.withLock { $0.matching }
    let known = Set(rejectNames.filter { before.rejects[$0] != nil })
    let (old, new) = (
      rejects.indices.filter { known.contains(rejectNames[$0]) },
      rejects.indices.filter { !known.contains(rejectNames[$0]) }
    )
    let newParts = parts.indices.filter { before.parts[names[$0]] == nil }
    let current = Set(names)
    found.withLock {
      $0.matching.rejects = before.rejects.filter { known.contains($0.key) }
      $0.matching.parts = before.parts.filter { current.contains($0.key) }
    }
    let search = CopySearch(self)
    try await search.find(newParts, among: old)
    try await search.findNew(new)
    try await keep(search.found, of: Array(parts.indices), in: known)
    found.withLock { $0.add(search, rejectNames) }
    for part in parts.indices { cache.use([keyNames[part], matched(part)?.file ?? ""]) }
    cache.use(copiedNames)
    try keepMatching()
  }

  private func keepMatching() throws(PipelineFailure) {
    try found.withLock { found throws(PipelineFailure) in try cache.add(Self.matchingName, found.matching.encoded) }
  }

  /// Looks for all copies of the postbacks of some parts, whose files were lost. Tasks may do so for different parts at a time.
  private func findAgain(_ lost: [Int]) async throws(PipelineFailure) {
    guard !lost.isEmpty else { return }
    let search = CopySearch(self)
    try await search.find(lost, among: Array(rejects.indices))
    try await keep(search.found, of: lost)
    try keepMatching()
  }

  /// Adds what was found to the copies of some parts: to those in the rejects that are known, or to none.
  private func keep(
    _ found: RecordSorter,
    of parts: [Int],
    in known: Set<String>? = nil
  ) async throws(PipelineFailure) {
    let records = try PipelineFailure.state { () throws(FileFailure) in try found.sorted() }
    func next() throws(PipelineFailure) -> Bool {
      try PipelineFailure.state { () throws(FileFailure) in try records.next() }
    }
    var hasNext = try next()
    var lost: [Int] = []
    for part in parts {
      let hasNew = hasNext && records.key == UInt128(part)
      if let known, !hasNew, let old = matched(part), old.sources.allSatisfy(known.contains) { continue }
      var list = if let known { try kept(part, in: known) } else { CopyList() }
      if list == nil { lost.append(part) }
      while hasNext, records.key == UInt128(part) {
        let payload = records.payload
        list?.add(payload.integer(at: 16), payload.integer(at: 0), payload[20...])
        hasNext = try next()
      }
      list?.merge()
      if let list {
        let copies = try add(list)
        self.found.withLock { $0.matching.parts[names[part]] = copies }
      }
    }
    try await findAgain(lost)
  }

  /// Keeps the copies of a part.
  private func add(_ list: CopyList) throws(PipelineFailure) -> CopyMatching.Part {
    guard list.count > 0 else { return CopyMatching.Part() }
    var numbers: Set<UInt32> = []
    list.forEach { source, _, _ in numbers.insert(source) }
    let sources = numbers.sorted().map { rejectNames[Int($0)] }
    let digest = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in try list.withoutSources().digest() }
    let file = try cache.name(.copies, [digest] + sources)
    try cache.add(file, list.encoded(rejectNames))
    return CopyMatching.Part(file: file, digest: digest, sources: sources)
  }
}
