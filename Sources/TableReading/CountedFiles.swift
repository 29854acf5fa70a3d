package import DurableFiles
internal import Ledger
internal import PostbackPipeline
internal import Tables

extension TableFiles {
  /// Returns the files without the rejects that were read again. The ledger of each output records them: that of `readings`, with
  /// the rows of the same commit, or, where a path was a table or a file, `_state` beside it or one of the folders in `states`.
  func withoutReprocessed(_ readings: OutputStates, among states: [String]) throws(FileFailure) -> TableFiles {
    var files = self
    var rows: [String: [Int: Set<Int>]] = [:]
    for input in inputs {
      guard let number = Self.number(of: input) else { continue }
      let output = Self.output(of: input)
      if rows[output] == nil {
        if let reading = readings.reading(of: output) {
          rows[output] = reading.reprocessed
        } else {
          rows[output] = try Self.reprocessedRows(in: output, states: states)
        }
      }
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
      if let number = Self.number(of: input) {
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

  /// The number of a part, also while its name is hidden; nil if the name has none.
  static func number(of input: InputFile) -> Int? {
    LedgerPart.number(inName: String(input.path.lastComponent.drop { $0 == "." }))
  }

  /// Returns the folder of the output that has a part.
  private static func output(of part: InputFile) -> String {
    let table = part.path.parent
    return (table.lastComponent.contains("=") ? table.parent : table).parent
  }

  /// Returns the folders of the states that belong to an output: `_state` in it, or among some others.
  private static func states(of output: String, among states: [String]) throws(FileFailure) -> [String] {
    guard let id = try OutputID.read(in: output) else { return [] }
    let own = StateFolder.path(in: output)
    var found: [String] = []
    for state in states + (Ledger.isThere(own) ? [own] : []) where try Ledger.reading(state).outputID == id {
      found.append(state)
    }
    return found
  }

  private static func reprocessedRows(in output: String, states: [String]) throws(FileFailure) -> [Int: Set<Int>] {
    var rows: [Int: Set<Int>] = [:]
    for state in try Self.states(of: output, among: states) {
      rows.merge(try Ledger.reading(state, readsReprocessed: true).reprocessed) { $0.union($1) }
    }
    return rows
  }
}
