internal import Base
package import DurableFiles
internal import Ledger
package import PostbackPipeline
package import Tables

/// The files with the rows of one table, in order: files that `postback run` or `watch` wrote, or excerpts from them.
package struct TableFiles: Sendable {
  package let table: Table
  /// Its files as JSON Lines, compressed or not.
  package internal(set) var inputs: [InputFile]
  /// Indicates that every path was the output folder of a run, which has all tables, so that rejects and accepted postbacks
  /// can be counted together; also true if there are no paths.
  package let isOfWholeRuns: Bool
  /// The callback for the progress of reading the files and of analysing their rows.
  package var progress: AnalysisProgress.Handler?
  /// The object that keeps the files from being removed while they are read; nil if nobody removes them.
  package var keeper: (any Sendable)?
  /// The numbers of the lines that are skipped, by the paths of their files.
  var leftOut: [String: Set<Int>] = [:]

  /// The complete parts that a state has and that are not in their places, so that their rows do not count.
  package private(set) var missing: [(path: String, rows: Int64)] = []

  /// Indicates that the files can be read more than once. Standard input and pipes cannot.
  package var canBeReadAgain: Bool { inputs.allSatisfy { $0.byteCount != nil } }

  /// The length of all files; nil if that of one is not known.
  var byteCount: Int64? { canBeReadAgain ? inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } : nil }

  /// Finds the parts of a table at `paths`, in their order. A path is the output folder of a run, the folder of a table or of a
  /// partition in it, or a file. Of an output whose state was read, the rows count that were committed then, also those in
  /// parts that are still written and hidden. Otherwise the complete parts count.
  ///
  /// `-` and files are rows of skan_rejects. Throws if a folder has no table, or has the table only in another format, and if two
  /// paths stand for the same file, whose rows would count twice.
  package init(
    _ table: Table,
    at paths: [String],
    _ states: OutputStates = OutputStates()
  ) throws(FileFailure) {
    self.table = table
    var (inputs, missing): ([InputFile], [(path: String, rows: Int64)]) = ([], [])
    var isOfWholeRuns = true
    var given = GivenFiles()
    for path in paths {
      let start = inputs.count
      switch try TablePlace(path) {
      case .folder(let names) where names.contains(where: { Table.names.contains($0) || $0 == StateFolder.name }):
        if let reading = states.reading(of: path) {
          inputs += try Self.committed(reading, of: table, in: path, missing: &missing)
        } else if names.contains(table.name) {
          inputs += try Self.parts(of: table, in: "\(path)/\(table.name)")
        }
      case .folder(let names):
        guard names.contains(where: Self.isPart) || Table.names.contains(path.lastComponent) else {
          throw Self.noTables(in: path, with: names)
        }
        isOfWholeRuns = false
        let isOfTable = Table.names.contains(path.lastComponent) ? path.lastComponent == table.name : table.isRejects
        if isOfTable { inputs += try Self.parts(of: table, in: path) }
      case .file:
        isOfWholeRuns = false
        if table.isRejects { inputs += try InputFile.enumerate([path]) }
      }
      try given.add(Array(inputs[start...]), of: path)
    }
    (self.inputs, self.missing) = (inputs, missing)
    self.isOfWholeRuns = isOfWholeRuns
  }

  /// The failure for a folder without tables of a run, which may have others.
  private static func noTables(in path: String, with names: [String]) -> FileFailure {
    var others: [String] = []
    for name in names.sorted() where !name.hasPrefix(".") {
      // Whatever cannot be read is no table.
      let parts = (try? DurableFolder("\(path)/\(name)").names()) ?? []
      if parts.contains(where: isPart) { others.append(name) }
    }
    guard !others.isEmpty else {
      return FileFailure(
        .notFound,
        path,
        "There are no tables in this directory",
        advice: "Give the directory that --out named"
      )
    }
    let tables = "\(others.count == 1 ? "table" : "tables") \(others.joined(separator: ", "))"
    return FileFailure(
      .notFound,
      path,
      "This directory has the \(tables), but not the postbacks that Apple signed (skan_postbacks)",
      advice: "Read those with postback run INPUT --out into this directory first, or give the directory that has them"
    )
  }

  /// Finds the complete parts of a derived table in an output folder; nil if the folder does not have the table. Throws
  /// if it has the table only in another format than JSON Lines.
  package init?(derived table: Table, in output: String) throws(FileFailure) {
    let folder = "\(output)/\(table.name)"
    guard try DurableFolder(folder).byteCount(of: ".") != nil else { return nil }
    self.table = table
    inputs = try Self.parts(of: table, in: folder)
    isOfWholeRuns = false
  }

  /// Takes a file of a table as JSON Lines.
  package init(_ table: Table, file path: String) throws(FileFailure) {
    self.table = table
    inputs = try InputFile.enumerate([path])
    isOfWholeRuns = false
  }

  private static func parts(of table: Table, in folder: String) throws(FileFailure) -> [InputFile] {
    let names = try Partitioning.entries(of: folder).filter { isPart($0.name) }
      .map { $0.partition.isEmpty ? $0.name : "\($0.partition)/\($0.name)" }
      .sorted { (LedgerPart.number(inName: $0) ?? 0, $0) < (LedgerPart.number(inName: $1) ?? 0, $1) }
    let readable = names.filter { name in
      // A part beside its compressed copy is read once.
      let ending = LedgerPart.compressions.first { name.hasSuffix(".jsonl\($0)") }
      let plain = ending.map { String(name.dropLast($0.count)) }
      return name.hasSuffix(".jsonl") || plain.map { !names.contains($0) } ?? false
    }
    if readable.isEmpty, let other = names.first { throw .noJSONLines("\(folder)/\(other)") }
    return try InputFile.enumerate(readable.map { "\(folder)/\($0)" })
  }

  private static func isPart(_ name: String) -> Bool { name.hasPrefix(LedgerPart.namePrefix) }
}

/// The kind of object at a path.
private enum TablePlace {
  /// A folder, with the names of its entries.
  case folder([String])
  /// A file, a pipe or standard input.
  case file

  init(_ path: String) throws(FileFailure) {
    guard path != InputFile.standardInput, try InputFile.isFolder(path) else {
      self = .file
      return
    }
    self = .folder(try Directory.names(in: path))
  }
}

extension Table {
  fileprivate static let names = Table.all.map(\.name)

  fileprivate var isRejects: Bool { name == Table.rejects.name }
}

extension String {
  /// The last component of a path, without slashes.
  var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}

extension TableFiles {
  /// The limits for reading rows. A row above 32 MiB is not read; only records above the default limit of `run` have one.
  /// Batches are large, because rows that are counted together are found among those of a batch first, but not larger than
  /// the cache of a core, because several calculations go through the cells of a batch one after the other.
  package static let limits = ReadLimits(recordBytes: 32 << 20, batchBytes: 1 << 20)

  /// Reads all rows in batches of some thousands, `jobs` batches at once. `work` turns each batch into a part, and
  /// `take` receives the parts in order, and stops the reading if it throws. Only the batches at work are held in memory.
  package func scan<Part: Sendable>(
    jobs: Int,
    _ work: @escaping @Sendable (RawBatch) -> Part,
    take: (Part) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) {
    try await scan(jobs: jobs, beside: { _ in }, { batch, _ in work(batch) }, take: take)
  }

  /// Reads all rows as the other `scan` does, and hands each batch to `work` together with what `beside` returns for it.
  ///
  /// `beside` runs in the order of the batches, one at a time, before a batch goes to `work`, and stops the reading if it
  /// throws. So it can read other rows that stand in the same order, as many as `records` of the batch has: a record for
  /// each line, also for one that is not a row.
  package func scan<Companion: Sendable, Part: Sendable>(
    jobs: Int,
    beside: nonisolated(nonsending) @escaping (RawBatch) async throws(PipelineFailure) -> Companion,
    _ work: @escaping @Sendable (RawBatch, Companion) -> Part,
    take: (Part) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) {
    let leftOut = leftOut
    let batches = AccompaniedBatches(reader: PostbackReader(inputs: inputs, limits: Self.limits), beside: beside)
    let parts = batches.mapConcurrently(jobs) { batch, companion in
      (work(leftOut.isEmpty ? batch : batch.removing(leftOut), companion), batch.origins)
    }
    var iterator = parts.makeAsyncIterator()
    var meter = ReadingMeter(self)
    while let (part, origins) = try await iterator.next() {
      try PipelineFailure.checkCancellation(of: inputs.first?.path ?? "")
      try take(part)
      meter.add(origins)
    }
  }
}

/// The batches of a reader, each with what a closure that runs in their order returns for it.
private struct AccompaniedBatches<Companion: Sendable>: AsyncSequence {
  typealias Element = (RawBatch, Companion)
  typealias Failure = PipelineFailure

  let reader: PostbackReader
  let beside: nonisolated(nonsending) (RawBatch) async throws(PipelineFailure) -> Companion

  func makeAsyncIterator() -> Iterator { Iterator(batches: reader.makeAsyncIterator(), beside: beside) }

  struct Iterator: AsyncIteratorProtocol {
    var batches: PostbackReader.Iterator
    let beside: nonisolated(nonsending) (RawBatch) async throws(PipelineFailure) -> Companion

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> (RawBatch, Companion)? {
      guard let batch = try await batches.next(isolation: actor) else { return nil }
      return (batch, try await beside(batch))
    }
  }
}

extension String {
  /// The folder that holds the file or folder at this path.
  var parent: String {
    guard let slash = lastIndex(of: "/") else { return self == "." ? ".." : "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
