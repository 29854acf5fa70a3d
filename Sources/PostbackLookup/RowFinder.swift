internal import Base
package import DurableFiles
internal import JSON
internal import Ledger
package import PostbackPipeline
internal import Synchronization
package import Tables

/// A search for rows by the key or the transaction of a postback, with an index beside each part.
///
/// The indexes are in the folder `_index` of the output, which may be removed at any time. A search makes those that it lacks, if it
/// may write there, and reads the part otherwise.
package struct RowFinder: Sendable {
  /// The name of the folder with the indexes, in an output.
  package static let folderName = "_index"

  /// The output folder.
  package let output: String
  private let reading: LedgerReading?
  private let jobs: Int
  private let progress: (@Sendable (_ done: Int, _ total: Int) -> Void)?

  /// The bytes behind an index that are read without a new one.
  private static let tail: Int64 = 8 << 20

  /// A search in an output, whose state is in a folder; without one, complete parts are searched.
  ///
  /// - Parameters:
  ///   - output: The output folder.
  ///   - state: The folder of its state; nil for the one in the output, if it is there.
  ///   - jobs: The number of parts that are worked on at once.
  ///   - progress: A callback for the parts that get an index.
  /// - Throws: A failure where the state cannot be read, is that of another output, or does not know parts of this one.
  package init(
    _ output: String,
    state: String?,
    jobs: Int,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) throws(FileFailure) {
    (self.output, self.jobs, self.progress) = (output, jobs, progress)
    let own = StateFolder.path(in: output)
    let isThere = state != nil || Ledger.isThere(own)
    reading = isThere ? try OutputFolder.reading(output, state: state ?? own) : nil
  }

  /// The rows that were found in a table, and what was done for it.
  package struct Findings: Sendable {
    /// The rows, in the order of the table.
    package var rows: [FoundRow] = []
    /// The number of rows that were not read, because there are too many.
    package var omitted = 0
    /// The parts that were searched.
    package var search = PartsSearched()

    /// Adds the rows at further places, of which `most` have room, and what was done for them.
    fileprivate mutating func add(_ more: Self, most: Int = .max) {
      let added = more.rows.prefix(max(most - rows.count, 0))
      omitted += more.omitted + more.rows.count - added.count
      rows += added
      search += more.search
    }
  }

  /// Finds the rows of a table of the run, or of a complete table in `folder`, with one of some values: the first `most`, and the
  /// number of others.
  package func rows(
    of table: Table,
    in folder: String? = nil,
    having values: [LookupValue],
    most: Int = 10_000
  ) async throws(PipelineFailure) -> Findings {
    var findings = Findings()
    guard !values.isEmpty else { return findings }
    let parts: [LookupPart]
    do throws(FileFailure) {
      if let folder {
        parts = try LookupPart.complete(of: table, in: folder)
      } else if let reading {
        parts = try LookupPart.committed(reading, of: table, in: output, missing: &findings.search.missing)
      } else {
        parts = try LookupPart.complete(of: table, in: output)
      }
    } catch { throw .state(error) }
    findings.search.parts = parts.count
    let indexes = "\(output)/\(Self.folderName)"
    let done = Mutex(0)
    let columns = LookupColumns(of: table)
    let isGivenUp = Flag()
    let search = PartSearch(
      columns: columns,
      values: values,
      indexes: indexes,
      tail: Self.tail,
      most: most,
      isGivenUp: isGivenUp
    )
    let report: @Sendable () -> Void = { [progress] in
      progress?(
        done.withLock {
          $0 += 1; return $0
        },
        parts.count
      )
    }
    let results = parts.mapConcurrently(jobs) { part async throws(PipelineFailure) in
      try await search.find(in: part, report)
    }
    var iterator = results.makeAsyncIterator()
    // The parts are read by tasks of their own, which are not cancelled with this one.
    func next() async throws(PipelineFailure) -> Findings? {
      let result = await withTaskCancellationHandler {
        do throws(PipelineFailure) {
          return Result<Findings?, PipelineFailure>.success(try await iterator.next())
        } catch {
          return .failure(error)
        }
      } onCancel: {
        isGivenUp.raise()
      }
      return try result.get()
    }
    while let found = try await next() { findings.add(found, most: most) }
    if findings.search.indexed > 0 { removeOthers(than: parts, of: table, in: indexes) }
    return findings
  }

  /// Removes the indexes of parts of a table that are no longer there.
  private func removeOthers(than parts: [LookupPart], of table: Table, in indexes: String) {
    let names = Set(parts.map(PartSearch.name))
    let folder = DurableFolder(indexes)
    for name in (try? folder.names()) ?? [] where name.hasPrefix("\(table.name)-") && !names.contains(name) {
      if !RowIndex.isBeingWritten(name) { try? folder.remove(name) }
    }
  }

  /// Removes all indexes of an output, if there are any.
  package static func removeIndexes(in output: String) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(folderName)")
    if try folder.byteCount(of: ".") != nil { try folder.removeWithFiles() }
  }
}

/// The numbers of parts of tables that were searched, and the way in which they were.
package struct PartsSearched: Sendable {
  /// The number of parts.
  package fileprivate(set) var parts = 0
  /// The number of parts that got an index.
  package fileprivate(set) var indexed = 0
  /// The number of parts that were read from start to end, because no index could be written.
  package fileprivate(set) var scanned = 0
  /// The paths of parts that are gone.
  package fileprivate(set) var missing: [String] = []

  static func += (left: inout Self, right: Self) {
    left.parts += right.parts
    left.indexed += right.indexed
    left.scanned += right.scanned
    for path in right.missing where !left.missing.contains(path) { left.missing.append(path) }
  }
}

/// A sign for tasks that work for another one.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() { value.store(true, ordering: .relaxed) }
}

/// The search for values in one part after the other.
private struct PartSearch: Sendable {
  typealias Findings = RowFinder.Findings

  let columns: LookupColumns
  let values: [LookupValue]
  let indexes: String
  let tail: Int64
  let most: Int
  let isGivenUp: Flag

  /// The name of the file with the index of a part.
  static func name(_ part: LookupPart) -> String {
    let partition = part.part.partition.isEmpty ? "" : ".\(part.part.partition)"
    return "\(part.table.name)-\(part.part.number)\(partition).\(part.part.format.rawValue)"
  }

  func find(in part: LookupPart, _ report: () -> Void) async throws(PipelineFailure) -> Findings {
    let path = "\(indexes)/\(Self.name(part))"
    let identity = LookupValue.hash(Array(part.identity.utf8)[...], seed: 0)
    if let index = RowIndex(path), isUsable(index, identity, part), let found = try await rows(in: part, index) {
      return found
    }
    var entries: [RowIndex.Entry] = []
    try await part.forEachRow(from: 0, only: columns.places.map(\.place)) { row, place in
      if isGivenUp.isRaised { return false }
      for (column, kind) in columns.places {
        guard let cell = row.cell(column) else { continue }
        let hash = LookupValue.hash(row.bytes[cell.indices], seed: kind.rawValue)
        entries.append(RowIndex.Entry(hash: hash, place: place))
      }
      return true
    }
    guard !isGivenUp.isRaised else {
      throw .state(FileFailure(.io, part.path, "The search was given up, because nobody waits for it"))
    }
    var result = Findings()
    do throws(FileFailure) {
      try DurableFolder(indexes).makeAlone()
      try RowIndex.write(entries, covering: part.end, identity: identity, checksum: part.checksum, to: path)
      result.search.indexed = 1
    } catch { result.search.scanned = 1 }
    report()
    let hashes = Set(values.map(\.hash))
    let places = Set(entries.filter { hashes.contains($0.hash) }.map(\.place)).sorted()
    result.add(try await rows(in: part, at: places))
    return result
  }

  /// Tells if an index is of the rows that a part has, or of the first ones of them.
  private func isUsable(_ index: RowIndex, _ identity: UInt64, _ part: LookupPart) -> Bool {
    if index.covered == part.end, index.identity == identity { return true }
    guard let checksum = index.checksum, index.covered < part.end, part.end - index.covered <= tail else {
      return false
    }
    return part.continues(checksum, of: index.covered)
  }

  /// Returns the rows that an index leads to, and those behind it; nil if it does not fit after all.
  private func rows(in part: LookupPart, _ index: RowIndex) async throws(PipelineFailure) -> Findings? {
    var places: Set<Int64> = []
    for value in values {
      guard let found = index.places(of: value.hash) else { return nil }
      places.formUnion(found)
    }
    guard places.allSatisfy({ $0 >= 0 && $0 < part.end || part.compressed != nil }) else { return nil }
    var found = Findings()
    do throws(PipelineFailure) { found.add(try await rows(in: part, at: places.sorted())) } catch {
      // No row begins there: the part has other rows than the index says.
      guard case .state(let failure) = error, failure.kind == .incompatible else { throw error }
      return nil
    }
    guard index.covered < part.end, part.compressed == nil else { return found }
    var later: [Int64] = []
    try await part.forEachRow(from: index.covered, only: columns.places.map(\.place)) { row, place in
      if columns.has(values, row) { later.append(place) }
      return true
    }
    found.add(try await rows(in: part, at: later))
    return found
  }

  /// Reads the rows at the first of some places, in ascending order, and returns those that have one of the values, with the number
  /// of places that were not read.
  private func rows(in part: LookupPart, at places: [Int64]) async throws(PipelineFailure) -> Findings {
    var rest = places.prefix(most)
    var found = Findings(omitted: places.count - rest.count)
    guard part.compressed == nil else {
      // Each reading begins at the start of the file, so there is one for all.
      if rest.isEmpty { return found }
      try await part.forEachRow(from: rest.first ?? 0) { row, at in
        if at == rest.first {
          if columns.has(values, row) { found.rows.append(FoundRow(row, of: part, at: at)) }
          rest.removeFirst()
        }
        return !rest.isEmpty
      }
      return found
    }
    for place in rest {
      try await part.forEachRow(from: place, byteCount: 1 << 14) { row, at in
        if at == place, columns.has(values, row) { found.rows.append(FoundRow(row, of: part, at: place)) }
        return false
      }
    }
    return found
  }
}
