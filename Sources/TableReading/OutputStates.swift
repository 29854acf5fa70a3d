package import DurableFiles
internal import Ledger
internal import PostbackPipeline
internal import Tables

/// The states of outputs, each read once, so that all tables of an output have the rows of the same commit.
package struct OutputStates: Sendable {
  /// The state of each output that has one, and its folder.
  private var states: [String: (folder: String, reading: LedgerReading)] = [:]

  /// The states of outputs of which only complete parts count.
  package init() {}

  /// Reads the state of each output: the one of `states` that belongs to it, or else the one in its folder. Outputs without a
  /// state have none here. Throws if a state belongs to another output than the one that it was found in, or given for, if an
  /// output has parts that its state does not know, and if one is given twice, whose rows would count twice. If
  /// `readsReprocessed` is true, the rejects that were taken up again are read, too.
  package init(of outputs: [String], among states: [String], readsReprocessed: Bool = false) throws(FileFailure) {
    var named: [(folder: String, reading: LedgerReading)] = []
    for state in states { named.append((state, try Ledger.reading(state, readsReprocessed: readsReprocessed))) }
    var known: [(path: String, id: OutputID)] = []
    for output in outputs where output != InputFile.standardInput {
      let id = try OutputID.read(in: output)
      if let id {
        if let same = known.first(where: { $0.id == id }) { throw .sameOutput(output, as: same.path) }
        known.append((output, id))
      }
      let own = StateFolder.path(in: output)
      // Earlier versions left no ids.
      if let found = named.first(where: { Self.fits($0.reading, id, isAlone: outputs.count == 1) }) {
        self.states[output] = found
      } else if outputs.count == 1, let other = named.first {
        throw .otherOutput(output, of: other.folder)
      } else if Ledger.isThere(own) {
        let reading = try Ledger.reading(own, readsReprocessed: readsReprocessed)
        guard Self.fits(reading, id, isAlone: true) else { throw .otherOutput(output, of: own) }
        self.states[output] = (own, reading)
      }
      if let (folder, reading) = self.states[output] {
        try OutputFolder.refuseUnknownParts(in: output, of: folder, reading)
      }
    }
  }

  private static func fits(_ reading: LedgerReading, _ id: OutputID?, isAlone: Bool) -> Bool {
    guard let own = reading.outputID, let id else { return isAlone }
    return own == id
  }

  /// Returns the latest time of receipt, in milliseconds since 1970, of the postbacks and rejects that were removed from any of the
  /// outputs because of their age; nil if none were.
  func removedUpTo() throws(FileFailure) -> Int64? {
    var ends: [Int64] = []
    for (folder, _) in states.values {
      for table in [Table.postbacks, .rejects] {
        if let end = try Ledger.newestRemovedReceipt(folder, of: table.name) { ends.append(end) }
      }
    }
    return ends.max()
  }

  /// Returns the state of an output; nil if it has none.
  func reading(of output: String) -> LedgerReading? { states[output]?.reading }
}

extension TableFiles {
  /// Returns the files of a table with the rows that a state had committed when it was read.
  ///
  /// A complete part that was moved away is left out, and goes to `missing` with its rows. One that was compressed is read as it is. Throws
  /// if an open part is gone, if one has lost rows at its end, or if the table is only in another format than JSON Lines.
  static func committed(
    _ reading: LedgerReading,
    of table: Table,
    in output: String,
    missing: inout [(path: String, rows: Int64)]
  ) throws(FileFailure) -> [InputFile] {
    let all = reading.parts.filter { $0.table == table.name && $0.rows > 0 }
    let parts = all.filter { $0.format == .jsonLines }
    if parts.isEmpty, let other = all.first { throw .noJSONLines("\(output)/\(other.folder)/\(other.name)") }
    var inputs: [InputFile] = []
    for part in parts {
      if let input = try file(of: part, in: "\(output)/\(part.folder)") {
        inputs.append(input)
      } else {
        missing.append(("\(output)/\(part.folder)/\(part.name)", part.rows))
      }
    }
    return inputs
  }

  private static func file(of part: LedgerPart, in folder: String) throws(FileFailure) -> InputFile? {
    for name in part.unfinishedNames where try DurableFolder(folder).byteCount(of: name) != nil {
      var input = InputFile(path: "\(folder)/\(name)", byteCount: part.length)
      (input.limit, input.laterPath) = (part.length, "\(folder)/\(part.name)")
      return input
    }
    if let name = try part.completeName(in: DurableFolder(folder)),
      var input = try InputFile.enumerate(["\(folder)/\(name)"]).first
    {
      if name == part.name, let count = input.byteCount, count < part.length {
        throw .damaged("\(folder)/\(name)", "The file has \(count) of the \(part.length) bytes that were committed")
      }
      // It was complete only after the state was read.
      if part.phase == .open { (input.limit, input.byteCount) = (part.length, part.length) }
      return input
    }
    guard part.phase == .open else { return nil }
    throw .damaged("\(folder)/\(part.hiddenName)", "The file is missing, and it has committed rows")
  }
}

extension FileFailure {
  /// The failure for an output that is given twice, also as a link or a copy.
  fileprivate static func sameOutput(_ path: String, as other: String) -> FileFailure {
    FileFailure(
      .incompatible,
      path,
      "It is the same output as \(other), or a copy of it, and its rows would count twice",
      advice: "Give each output once"
    )
  }

  /// The failure for a table that is only in another format.
  static func noJSONLines(_ path: String) -> FileFailure {
    // The format of a run stays that of its first one.
    let isOfRun = Table.all.contains { path.contains("/\($0.name)/") }
    let advice =
      isOfRun
      ? "Read the dumps into another directory with --format jsonl or --format both"
      : "Give the command that wrote this table again with --format jsonl or --format both"
    return FileFailure(.notFound, path, "Only JSON Lines are read", advice: advice)
  }
}
