internal import Base
internal import DurableFiles
package import PostbackPipeline
package import TableReading
package import Tables

/// A result for rows of a table that stand one after the other, which can be merged of those of their parts.
package protocol PartResult: Sendable {
  /// Indicates that nothing is left out because there was too much. Then a merge with the result has the same as one with
  /// those of its rows, one after the other.
  var isWhole: Bool { get }
  /// The lines that are not rows.
  var unreadable: UnreadableRows { get }

  /// Adds the result for rows that come later.
  mutating func merge(_ later: Self)

  /// Writes a whole result without unreadable lines.
  func encode(_ writer: inout ResultWriter)

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader)
}

/// The merge of the results of parts, in their order. A cache keeps the results of blocks of parts that stand one after the
/// other, and those of single parts until their block is complete, so that the cost follows from the parts that are new.
/// Several parts are read at once.
package struct PartMerging<Result: PartResult> {
  /// A part whose result is merged.
  package struct Item: Sendable {
    /// The number of the part in its table.
    fileprivate let number: Int
    /// The name of the result in the cache; nil if there is no cache.
    fileprivate let name: String?
    fileprivate let read: @Sendable (_ jobs: Int, _ take: (Result) -> Void) async throws(PipelineFailure) -> Void

    /// Takes a part. `read` hands on the results of its batches in order, with a number of tasks.
    package init(
      _ number: Int,
      _ name: String?,
      read: @escaping @Sendable (_ jobs: Int, _ take: (Result) -> Void) async throws(PipelineFailure) -> Void
    ) {
      (self.number, self.name, self.read) = (number, name, read)
    }
  }

  private let kind: PartCache.Kind
  private let settings: [String]
  private let empty: Result
  private let cache: PartCache?
  private let jobs: Int
  private let keepsParts: Bool

  /// Makes a merge.
  ///
  /// - Parameters:
  ///   - kind: The kind of the results in the cache.
  ///   - settings: The texts that tell the results from those of other settings.
  ///   - empty: The result for no rows.
  ///   - cache: The results that were calculated before; nil if none are kept.
  ///   - jobs: The number of tasks that read at once.
  ///   - keepsParts: True if those who make the results of parts keep them, also when their block is complete.
  package init(
    _ kind: PartCache.Kind,
    settings: [String] = [],
    empty: Result,
    cache: PartCache?,
    jobs: Int,
    keepsParts: Bool = false
  ) {
    (self.kind, self.settings, self.empty) = (kind, settings, empty)
    (self.cache, self.jobs, self.keepsParts) = (cache, jobs, keepsParts)
  }

  /// A part, or several that stand one after the other.
  private struct Block: Sendable {
    /// The name in the cache; nil for the last block, whose parts are not all there yet.
    var name: String?
    /// The place of the part among all; nil for several parts.
    var part: Int?
    var children: [Block] = []
  }

  /// The number of bits of a part's number that the blocks of one level have in common less than those of the level below.
  private static var levelBits: Int { 4 }

  /// Adds the results of the rows of parts to a total. `didRead` is given each part that was read, with its result, and `count`
  /// makes that of a batch.
  package func add(
    _ parts: [TablePart],
    to total: inout Result,
    didRead: (TablePart, inout Result) throws(PipelineFailure) -> Void = { _, _ in },
    _ count: @escaping @Sendable (RawBatch) -> Result
  ) async throws(PipelineFailure) {
    let items = try parts.map { part throws(PipelineFailure) in
      Item(part.number, try cache?.name(kind, settings + [part.identity])) { jobs, take throws(PipelineFailure) in
        try await part.files.scan(jobs: jobs, count, take: take)
      }
    }
    try await add(items, to: &total) { place, result throws(PipelineFailure) in try didRead(parts[place], &result) }
  }

  /// Adds the results of parts to a total. `didRead` is given the place of each that was read, with its result.
  package func add(
    _ items: [Item],
    to total: inout Result,
    didRead: (Int, inout Result) throws(PipelineFailure) -> Void = { _, _ in }
  ) async throws(PipelineFailure) {
    guard let first = items.first, let last = items.last else { return }
    var level = 0
    while first.number >> (level * Self.levelBits) != last.number >> (level * Self.levelBits) { level += 1 }
    let block = try block(Array(items.enumerated())[...], level: level, isLast: true)
    var missing: [Int] = []
    try use(block, &missing)
    var reading = Reading(items, missing, empty, jobs: jobs)
    try await add(block, to: &total, &reading, didRead)
  }

  private func block(
    _ items: ArraySlice<(offset: Int, element: Item)>,
    level: Int,
    isLast: Bool
  ) throws(PipelineFailure) -> Block {
    if let item = items.first, items.count == 1 { return Block(name: item.element.name, part: item.offset) }
    var block = Block()
    var rest = items
    while let first = rest.first {
      let shift = (level - 1) * Self.levelBits
      let child = rest.prefix { $0.element.number >> shift == first.element.number >> shift }
      rest = rest.dropFirst(child.count)
      block.children.append(try self.block(child, level: level - 1, isLast: isLast && rest.isEmpty))
    }
    if block.children.count == 1 { return block.children[0] }
    if !isLast { block.name = try cache?.name(kind, settings + ["block"] + block.children.compactMap(\.name)) }
    return block
  }

  /// Notes that the results of a block, and those of its parts if it has none yet, stay in the cache. Adds the parts that have
  /// to be read.
  private func use(_ block: Block, _ missing: inout [Int], isPresent: Bool = false) throws(PipelineFailure) {
    var isPresent = isPresent
    if let cache, let name = block.name {
      let isThere = try PipelineFailure.state { () throws(FileFailure) in try cache.has(name) }
      isPresent = isPresent || isThere
    }
    if let part = block.part, !isPresent { missing.append(part) }
    for child in block.children where !isPresent || keepsParts || child.part == nil {
      try use(child, &missing, isPresent: isPresent)
    }
  }

  private func add(
    _ block: Block,
    to total: inout Result,
    _ reading: inout Reading,
    _ didRead: (Int, inout Result) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) {
    if let result = try await result(of: block, &reading, didRead) {
      total.merge(result)
    } else if let part = block.part {
      try await reading.read(part, into: &total)
      try didRead(part, &total)
    } else {
      for child in block.children { try await add(child, to: &total, &reading, didRead) }
    }
  }

  /// Returns the result of a block; nil if it is not whole. One that was calculated is added to the cache if `isKept`.
  private func result(
    of block: Block,
    isKept: Bool = true,
    _ reading: inout Reading,
    _ didRead: (Int, inout Result) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) -> Result? {
    if block.part == nil, block.name == nil { return nil }
    try PipelineFailure.checkCancellation(of: cache?.path ?? "")
    if let cache, let name = block.name, let file = try cache.summed(name) {
      if file.byteCount == 0 { return nil }
      if let result = file.result(Result.self) { return result }
    }
    var result = empty
    if let part = block.part {
      result = try await reading.result(of: part)
      guard result.isWhole else {
        if let cache, let name = block.name, result.unreadable.count == 0 { try cache.add(name, [UInt8]()) }
        return nil
      }
      try didRead(part, &result)
    } else {
      var known = known(block.children).makeAsyncIterator()
      for child in block.children {
        var part = try await known.next() ?? nil
        if part == nil { part = try await self.result(of: child, isKept: child.part == nil, &reading, didRead) }
        guard let part else {
          if let cache, let name = block.name { try cache.add(name, [UInt8]()) }
          return nil
        }
        result.merge(part)
      }
    }
    // Lines that are not rows are reported each time: their part is read again, and its block is none, so that others are not.
    let isReadable = result.unreadable.count == 0
    let isOfOthers = keepsParts && block.part != nil
    if let cache, let name = block.name, isReadable ? isKept && !isOfOthers : block.part == nil {
      if result.isWhole, isReadable { try cache.add(name, result) } else { try cache.add(name, [UInt8]()) }
    }
    return result.isWhole ? result : nil
  }

  /// Reads the results of single parts that the cache has, each while the one before it is merged. Returns nil for each other block.
  private func known(_ blocks: [Block]) -> ConcurrentMap<ReadyElements<[Block], PipelineFailure>, Result?> {
    blocks.mapConcurrently(1, ahead: 1) { [cache] block throws(PipelineFailure) in
      guard let cache, block.part != nil, let name = block.name else { return nil }
      return try cache.result(name)
    }
  }

  /// The reading of parts. Those that are known to be wanted are read ahead, several at once.
  private struct Reading {
    private let items: [Item]
    private let empty: Result
    private let jobs: Int
    private var ahead: ArraySlice<Int>
    private var results: ConcurrentMap<ReadyElements<[Item], PipelineFailure>, Result>.Iterator

    init(_ items: [Item], _ ahead: [Int], _ empty: Result, jobs: Int) {
      (self.items, self.empty, self.jobs, self.ahead) = (items, empty, jobs, ahead[...])
      let jobsOfPart = ahead.count < jobs ? jobs : 1
      results = ahead.map { items[$0] }.mapConcurrently(jobs) { item throws(PipelineFailure) in
        var result = empty
        try await item.read(jobsOfPart) { result.merge($0) }
        return result
      }.makeAsyncIterator()
    }

    /// Returns the result of a part.
    mutating func result(of part: Int) async throws(PipelineFailure) -> Result {
      // The result of one that was read may have come from the cache, into which its reading puts it.
      while let next = ahead.first, next <= part {
        ahead.removeFirst()
        if let result = try await results.next(), next == part { return result }
      }
      var result = empty
      try await read(part, into: &result)
      return result
    }

    /// Adds the results of the batches of a part, one after the other.
    func read(_ part: Int, into total: inout Result) async throws(PipelineFailure) {
      try await items[part].read(jobs) { total.merge($0) }
    }
  }
}
