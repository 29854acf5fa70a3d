internal import DurableFiles
package import TableReading
package import PostbackPipeline
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
package struct PartMerging<Result: PartResult> {
  private let kind: PartCache.Kind
  private let settings: [String]
  private let empty: Result
  private let cache: PartCache?
  private let jobs: Int
  private let count: @Sendable (RawBatch) -> Result

  /// Makes a merge.
  ///
  /// - Parameters:
  ///   - kind: The kind of the results in the cache.
  ///   - settings: The texts that tell the results from those of other settings.
  ///   - empty: The result for no rows.
  ///   - cache: The results that were calculated before; nil if none are kept.
  ///   - jobs: The number of batches that are read at once.
  ///   - count: Makes the result of a batch.
  package init(
    _ kind: PartCache.Kind,
    settings: [String] = [],
    empty: Result,
    cache: PartCache?,
    jobs: Int,
    count: @escaping @Sendable (RawBatch) -> Result
  ) {
    (self.kind, self.settings, self.empty) = (kind, settings, empty)
    (self.cache, self.jobs, self.count) = (cache, jobs, count)
  }

  /// A part, or several that stand one after the other.
  private struct Block {
    /// The name in the cache; nil for the last block, whose parts are not all there yet.
    var name: String?
    var part: TablePart?
    var children: [Block] = []
  }

  /// The number of bits of a part's number that the blocks of one level have in common less than those of the level below.
  private static var levelBits: Int { 4 }

  /// Adds the results of parts to a total. `didRead` is given each part that was read, after its rows were counted.
  package func add(
    _ parts: [TablePart],
    to total: inout Result,
    didRead: (TablePart, inout Result) throws(PipelineFailure) -> Void = { _, _ in }
  ) async throws(PipelineFailure) {
    guard let first = parts.first, let last = parts.last else { return }
    var level = 0
    while first.number >> (level * Self.levelBits) != last.number >> (level * Self.levelBits) { level += 1 }
    let block = try block(parts[...], level: level, isLast: true)
    try use(block)
    try await add(block, to: &total, didRead)
  }

  private func block(_ parts: ArraySlice<TablePart>, level: Int, isLast: Bool) throws(PipelineFailure) -> Block {
    if let part = parts.first, parts.count == 1 {
      return Block(name: try cache?.name(kind, settings + [part.identity]), part: part)
    }
    var block = Block()
    var rest = parts
    while let first = rest.first {
      let shift = (level - 1) * Self.levelBits
      let child = rest.prefix { $0.number >> shift == first.number >> shift }
      rest = rest.dropFirst(child.count)
      block.children.append(try self.block(child, level: level - 1, isLast: isLast && rest.isEmpty))
    }
    if block.children.count == 1 { return block.children[0] }
    if !isLast { block.name = try cache?.name(kind, settings + ["block"] + block.children.compactMap(\.name)) }
    return block
  }

  /// Notes that the results of a block, and those of its parts if it has none yet, stay in the cache.
  private func use(_ block: Block) throws(PipelineFailure) {
    guard let cache else { return }
    var isThere = false
    if let name = block.name {
      isThere = try PipelineFailure.state { () throws(FileFailure) in try cache.has(name) }
    }
    for child in block.children where !isThere || child.part == nil { try use(child) }
  }

  private func add(
    _ block: Block,
    to total: inout Result,
    _ didRead: (TablePart, inout Result) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) {
    if let result = try await result(of: block, didRead) {
      total.merge(result)
    } else if let part = block.part {
      try await read(part, into: &total, didRead)
    } else {
      for child in block.children { try await add(child, to: &total, didRead) }
    }
  }

  /// Returns the result of a block; nil if it is not whole, or if none is kept. One that was calculated is added to the cache
  /// if `isKept`.
  private func result(
    of block: Block,
    isKept: Bool = true,
    _ didRead: (TablePart, inout Result) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) -> Result? {
    guard let cache, let name = block.name else { return nil }
    if let bytes = try cache.read(name, UInt8.self) {
      guard !bytes.isEmpty else { return nil }
      var reader = ResultReader(bytes)
      return Result(&reader)
    }
    var result = empty
    if let part = block.part {
      try await read(part, into: &result, didRead)
    } else {
      for child in block.children {
        guard let part = try await self.result(of: child, isKept: child.part == nil, didRead) else {
          try cache.add(name, [UInt8]())
          return nil
        }
        result.merge(part)
      }
    }
    // Lines that are not rows are reported each time: their part is read again, and its block is none, so that others are not.
    let isReadable = result.unreadable.count == 0
    if isReadable ? isKept : block.part == nil {
      var writer = ResultWriter()
      if result.isWhole, isReadable { result.encode(&writer) }
      try cache.add(name, writer.bytes)
    }
    return result.isWhole ? result : nil
  }

  private func read(
    _ part: TablePart,
    into result: inout Result,
    _ didRead: (TablePart, inout Result) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) {
    try await part.files.scan(jobs: jobs, count) { result.merge($0) }
    try didRead(part, &result)
  }
}
