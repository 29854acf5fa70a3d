internal import Analysis
internal import DurableFiles
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables

/// Collects what is known of the copies of accepted postbacks, which are among the rejects, in bounded memory.
///
/// Copies are in the order of their receipt, and must meet the accepted rows, which are in another order. If all fit the
/// buffer they are found by key. Otherwise they are sorted by key, joined with the keys of the accepted rows, and sorted
/// again by the places of these rows.
struct CopyCollector {
  /// The copies of a batch: the keys of the accepted postbacks, each with a record.
  typealias Records = [(key: PostbackKey, record: [UInt8])]

  /// Merges a later copy of a postback into an earlier one with the same content.
  typealias Merge = (_ earlier: inout [UInt8], _ later: [UInt8]) -> Void

  private let sorter: RecordSorter
  private let folder: String
  private let bufferBytes: Int

  /// The number of copies.
  var count: Int { sorter.count }

  /// Begins without copies. Temporary files are made in a folder that exists.
  init(in folder: String, bufferBytes: Int = RecordSorter.usualBufferBytes) {
    (self.folder, self.bufferBytes) = (folder, bufferBytes)
    sorter = RecordSorter(bufferBytes: bufferBytes, in: folder)
  }

  /// Adds the copies of a batch, after those of the batches before.
  func add(_ records: Records) throws(PipelineFailure) {
    do throws(FileFailure) {
      for (key, record) in records { try sorter.add(UInt128(key), record) }
    } catch {
      throw .state(error)
    }
  }

  /// Returns the copies for the rows of `accepted`, which are read for it if the copies do not fit the buffer.
  ///
  /// Copies of the same postback are then merged if their records are the same from the byte `contentStart` on, so that
  /// any number of them take little memory.
  func join(
    _ accepted: TableFiles,
    jobs: Int,
    contentStart: Int,
    _ merge: Merge
  ) async throws(PipelineFailure) -> CopyJoin {
    if let table = sorter.table() { return CopyJoin(.table(table)) }
    let keys = RecordSorter(bufferBytes: bufferBytes, in: folder)
    var before: UInt64 = 0
    try await accepted.scan(jobs: jobs) {
      (Self.keys($0), UInt64($0.records.count))
    } take: { (found, count) throws(PipelineFailure) in
      do throws(FileFailure) {
        for (index, key) in found { try keys.add(key, [UInt8](littleEndian: before + UInt64(index))) }
      } catch {
        throw .state(error)
      }
      before += count
    }
    do throws(FileFailure) {
      let placed = RecordSorter(bufferBytes: bufferBytes, in: folder)
      try match(try sorter.sorted(), try keys.sorted(), contentStart, merge, into: placed)
      return CopyJoin(.sorted(try placed.sorted()))
    } catch {
      throw .state(error)
    }
  }

  /// The keys of a batch of accepted rows, each with the number of the records of the batch before it.
  private static func keys(_ batch: RawBatch) -> [(Int, UInt128)] {
    var keys: [(Int, UInt128)] = []
    keys.reserveCapacity(batch.records.count)
    for (index, record) in batch.records.enumerated() where record.defect == nil {
      guard let key = PostbackKey(leading: batch.bytes.span.extracting(record.bytes.indices)) else { break }
      keys.append((index, UInt128(key)))
    }
    if keys.count == batch.records.count { return keys }
    // Some lines are not as `run` writes them.
    keys.removeAll(keepingCapacity: true)
    var cursor = RowCursor(batch, of: .postbacks)
    let column = Table.postbacks.place(.postbackKey)
    while cursor.next() {
      if let key = cursor.key(column) { keys.append((cursor.index, UInt128(key))) }
    }
    return keys
  }

  /// Adds the copies of each accepted row to `placed`, with the place of the row as their key.
  private func match(
    _ copies: SortedRecords,
    _ rows: SortedRecords,
    _ contentStart: Int,
    _ merge: Merge,
    into placed: RecordSorter
  ) throws(FileFailure) {
    var hasCopy = try copies.next()
    var hasRow = try rows.next()
    while hasCopy, hasRow {
      let key = copies.key
      while hasRow, rows.key < key { hasRow = try rows.next() }
      var group: [[UInt8]] = []
      var places: [ArraySlice<UInt8>: Int] = [:]
      let isAccepted = hasRow && rows.key == key
      while hasCopy, copies.key == key {
        let content = copies.payload.dropFirst(contentStart)
        if !isAccepted {
          // Its accepted row is not in the tables any more.
        } else if let place = places[content] {
          merge(&group[place], copies.payload)
        } else {
          places[content] = group.count
          group.append(copies.payload)
        }
        hasCopy = try copies.next()
      }
      // A key can be in the tables twice, if the state no longer knew the first when the second came.
      while hasRow, rows.key == key {
        let place: UInt64 = rows.payload.integer(at: 0)
        for copy in group { try placed.add(UInt128(place), [UInt8](littleEndian: key) + copy) }
        hasRow = try rows.next()
      }
    }
  }
}

/// The copies of accepted postbacks, batch by batch of the rows of `skan_postbacks`.
final class CopyJoin {
  /// The way in which the copies are found.
  fileprivate enum Source {
    /// All copies by the keys of their postbacks.
    case table(RecordTable)
    /// The copies by the places of their postbacks, each with the key before its record.
    case sorted(SortedRecords)
  }

  private let source: Source
  private var place: UInt64 = 0
  /// True if the current record of the sorted ones is yet to be handed on.
  private var isPending = false

  fileprivate init(_ source: Source) { self.source = source }

  /// Returns the copies for a batch with so many records, by the keys of their postbacks. Batches follow each other.
  func next(_ count: Int) throws(PipelineFailure) -> RecordTable {
    switch source {
    case .table(let table): return table
    case .sorted(let records):
      place += UInt64(count)
      var bytes: [UInt8] = []
      var entries: [RecordSorter.Entry] = []
      do throws(FileFailure) {
        while true {
          if !isPending { isPending = try records.next() }
          guard isPending, records.key < UInt128(place) else { break }
          isPending = false
          let (start, length) = (UInt32(bytes.count), UInt32(records.payload.count - 16))
          bytes += records.payload.dropFirst(16)
          entries.append(RecordSorter.Entry(key: records.payload.integer(at: 0), start: start, count: length))
        }
      } catch {
        throw .state(error)
      }
      entries.sort { $0.key == $1.key ? $0.start < $1.start : $0.key < $1.key }
      return RecordTable(entries, of: bytes)
    }
  }
}

extension UInt128 {
  /// The key of a postback as one number.
  init(_ key: PostbackKey) { self = UInt128(key.high) << 64 | UInt128(key.low) }
}

extension [UInt8] {
  /// The bytes of an integer, the least one first.
  fileprivate init(littleEndian integer: some FixedWidthInteger) {
    self = []
    append(littleEndian: integer)
  }
}
