package import DurableFiles
internal import PostbackPipeline
internal import Tables

/// A file of a table, with what tells its rows from those of other files.
package struct TablePart: Sendable {
  /// The number of the part in its table. The numbers of the parts of a table rise.
  package let number: Int
  /// A text that is another one if the file has other rows, or if other ones of its rows are skipped.
  package let identity: String
  /// The file alone.
  package let files: TableFiles
}

extension TableFiles {
  /// Returns the files one by one, in the order of their numbers. Their progress is that of all of them.
  package func divided() throws(FileFailure) -> [TablePart] {
    let total = byteCount
    var parts: [TablePart] = []
    var before: Int64 = 0
    for (number, input) in numbered {
      let start = before
      let files = only(input) { [progress] part in
        progress?(AnalysisProgress(task: part.task, done: start + part.done, total: total))
      }
      parts.append(TablePart(number: number, identity: try identity(of: input, number), files: files))
      before += input.byteCount ?? 0
    }
    return parts
  }

  /// The files with their numbers: those in their names if each has one of its own, or else their places from 1.
  private var numbered: [(Int, InputFile)] {
    let numbers = inputs.compactMap(Self.number)
    guard Set(numbers).count == inputs.count else { return inputs.enumerated().map { ($0.offset + 1, $0.element) } }
    return zip(numbers, inputs).sorted { $0.0 < $1.0 }.map { ($0.0, $0.1) }
  }

  private func identity(of input: InputFile, _ number: Int) throws(FileFailure) -> String {
    let version = try DurableFolder(input.path.parent).version(of: input.path.lastComponent)
    let skipped = (leftOut[input.path] ?? []).sorted().map { "\($0)" }.joined(separator: ",")
    let length = input.byteCount.map { "\($0)" } ?? input.path
    return "\(table.name) \(number) \(length) \(version?.content ?? "") \(skipped)"
  }
}
