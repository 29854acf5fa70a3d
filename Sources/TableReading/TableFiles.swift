internal import Base
package import DurableFiles
package import Ledger
package import PostbackPipeline
package import Tables

/// The files with the rows of one table, in order: files that `postback run` or `watch` wrote, or excerpts from them.
package struct TableFiles: Sendable {
  /// The table.
  package let table: Table
  /// Its files as JSON Lines, compressed or not.
  package private(set) var inputs: [InputFile]
  /// Indicates that every path was the output folder of a run, which has all tables, so that rejects and accepted postbacks
  /// can be counted together; also true if there are no paths.
  package let isOfWholeRuns: Bool
  /// The callback for the progress of reading the files and of analysing their rows.
  package var progress: AnalysisProgress.Handler?
  /// The object that keeps the files from being removed while they are read; nil if nobody removes them.
  package var keeper: (any Sendable)?
  /// The numbers of the lines that are skipped, by the paths of their files.
  var leftOut: [String: Set<Int>] = [:]

  /// Indicates that the files can be read more than once. Standard input and pipes cannot.
  package var canBeReadAgain: Bool { inputs.allSatisfy { $0.byteCount != nil } }

  private static let endings = [".jsonl", ".jsonl.gz", ".jsonl.zst"]

  /// Finds the complete parts of a table at `paths`, in their order. A path is the output folder of a run, the folder
  /// of a table or of a partition in it, or a file. Parts that are still being written are hidden, and are not read.
  ///
  /// `-` and files are rows of skan_rejects. Throws if a folder has no table, or has the table only in another format.
  package init(_ table: Table, at paths: [String]) throws(FileFailure) {
    self.table = table
    var inputs: [InputFile] = []
    var isOfWholeRuns = true
    for path in paths {
      switch try TablePlace(path) {
      case .folder(let names) where names.contains(where: { Table.names.contains($0) || $0 == "_state" }):
        if names.contains(table.name) { inputs += try Self.parts(of: table, in: "\(path)/\(table.name)") }
      case .folder(let names):
        guard names.contains(where: Self.isPart) || Table.names.contains(path.lastComponent) else {
          throw FileFailure(
            .notFound,
            path,
            "There are no tables in this directory",
            advice: "Give the directory that --out named"
          )
        }
        isOfWholeRuns = false
        let isOfTable = Table.names.contains(path.lastComponent) ? path.lastComponent == table.name : table.isRejects
        if isOfTable { inputs += try Self.parts(of: table, in: path) }
      case .file:
        isOfWholeRuns = false
        if table.isRejects { inputs += try InputFile.enumerate([path]) }
      }
    }
    self.inputs = inputs
    self.isOfWholeRuns = isOfWholeRuns
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

  /// Returns the files with the rows that a state had committed when it was read, also those in parts that are still written
  /// and hidden. `self` was made of the folder of the output, after the state was read.
  package func committed(_ reading: LedgerReading, in output: String) throws(FileFailure) -> TableFiles {
    var parts: [Int: LedgerPart] = [:]
    for part in reading.parts where part.table == table.name && part.format == .jsonLines { parts[part.number] = part }
    let last = parts.keys.max() ?? 0
    var found: [(number: Int, file: InputFile)] = []
    for var input in inputs {
      let number = LedgerPart.number(inName: input.path) ?? 0
      // Parts that came later are of later commits.
      guard number <= last else { continue }
      if let part = parts.removeValue(forKey: number), part.phase == .open {
        (input.limit, input.byteCount) = (part.length, part.length)
      }
      found.append((number, input))
    }
    for part in parts.values where part.rows > 0 {
      let folder = DurableFolder("\(output)/\(part.folder)")
      let isGone = try folder.byteCount(of: part.hiddenName) == nil
      if isGone, try folder.byteCount(of: part.name) == nil { continue }
      var input = InputFile(path: "\(folder.path)/\(part.hiddenName)", byteCount: part.length)
      (input.limit, input.laterPath) = (part.length, "\(folder.path)/\(part.name)")
      found.append((part.number, input))
    }
    found.sort { ($0.number, $0.file.path) < ($1.number, $1.file.path) }
    var files = self
    files.inputs = found.map(\.file)
    return files
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
    let readable = names.filter { name in endings.contains(where: name.hasSuffix) }
    if readable.isEmpty, let other = names.first {
      throw FileFailure(
        .notFound,
        "\(folder)/\(other)",
        "Only JSON Lines are read",
        advice: "Run again with --format jsonl or --format both"
      )
    }
    return try InputFile.enumerate(readable.map { "\(folder)/\($0)" })
  }

  private static func isPart(_ name: String) -> Bool { name.hasPrefix("part-") }
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
  /// Batches are large, because rows that are counted together are found among those of a batch first.
  package static let limits = ReadLimits(recordBytes: 32 << 20, batchBytes: 4 << 20)

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

extension TableFiles {
  /// Returns the files without the rejects that were read again. The ledger of each output records them: in `_state` in
  /// its folder, or in one of the folders in `states`.
  package func withoutReprocessed(states: [String]) throws(FileFailure) -> TableFiles {
    var files = self
    var rows: [String: [Int: Set<Int>]] = [:]
    for input in inputs {
      guard let number = LedgerPart.number(inName: input.path) else { continue }
      let output = Self.output(of: input)
      if rows[output] == nil { rows[output] = try Self.reprocessedRows(in: output, states: states) }
      files.leftOut[input.path] = rows[output]?[number]
    }
    return files
  }

  /// Returns the files without the parts whose rows were all received outside of a span. The ledger of each output knows their
  /// times; parts without a ledger, and those of earlier versions, stay.
  package func received(during span: TimeSpan, states: [String]) throws(FileFailure) -> TableFiles {
    guard !span.isEverything else { return self }
    var files = self
    var times: [String: [Int: ReceiptSpan]] = [:]
    var kept: [InputFile] = []
    for input in inputs {
      if let number = LedgerPart.number(inName: input.path) {
        let output = Self.output(of: input)
        if times[output] == nil { times[output] = try receiptTimes(in: output, states: states) }
        if let received = times[output]?[number], !span.overlaps(received) { continue }
      }
      kept.append(input)
    }
    files.inputs = kept
    return files
  }

  /// Returns the times of receipt of the parts in an output, by their numbers, as far as they are known exactly.
  private func receiptTimes(in output: String, states: [String]) throws(FileFailure) -> [Int: ReceiptSpan] {
    var times: [Int: ReceiptSpan] = [:]
    for state in try Self.states(of: output, among: states) {
      for part in try Ledger.reading(state).parts where part.table == table.name && part.format == .jsonLines {
        times[part.number] = part.received
      }
    }
    return times
  }

  /// Returns one of the files alone, with a callback for its progress.
  func only(_ input: InputFile, _ progress: @escaping AnalysisProgress.Handler) -> TableFiles {
    var files = self
    (files.inputs, files.progress) = ([input], progress)
    return files
  }

  /// Returns the folder of the output that has a part.
  private static func output(of part: InputFile) -> String {
    let table = part.path.parent
    return (table.lastComponent.contains("=") ? table.parent : table).parent
  }

  /// Returns the folders of the states that belong to an output: `_state` in it, or among some others.
  private static func states(of output: String, among states: [String]) throws(FileFailure) -> [String] {
    guard let id = try OutputID.read(in: output) else { return [] }
    let own = "\(output)/_state"
    var found: [String] = []
    for state in states + (Ledger.isThere(own) ? [own] : []) where try Ledger.reading(state).outputID == id {
      found.append(state)
    }
    return found
  }

  private static func reprocessedRows(in output: String, states: [String]) throws(FileFailure) -> [Int: Set<Int>] {
    guard let id = try OutputID.read(in: output) else { return [:] }
    var rows: [Int: Set<Int>] = [:]
    for state in try Self.states(of: output, among: states) {
      rows.merge(try Ledger.reprocessedRows(state, of: id)) { $0.union($1) }
    }
    return rows
  }
}

extension String {
  /// The folder that holds the file or folder at this path.
  var parent: String {
    guard let slash = lastIndex(of: "/") else { return self == "." ? ".." : "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
