internal import Base
package import DurableFiles
package import PostbackPipeline

/// The files behind paths that were given, each known by its device and inode.
package struct GivenFiles {
  private var paths: [[UInt64]: String] = [:]

  /// No files.
  package init() {}

  /// Adds the files that a path stands for. Throws if an earlier path stands for one of them too, also in another spelling or
  /// as a link. Pipes and standard input are not compared.
  package mutating func add(_ inputs: [InputFile], of path: String) throws(FileFailure) {
    var added: [[UInt64]: String] = [:]
    for input in inputs where input.byteCount != nil {
      var status = try FileStatus(entry: input.path)
      if status == nil, let later = input.laterPath { status = try FileStatus(entry: later) }
      guard let status else { continue }
      if let other = paths[[status.device, status.inode]] { throw .repeated(input.path, of: path, and: other) }
      added[[status.device, status.inode]] = path
    }
    paths.merge(added) { first, _ in first }
  }
}

extension FileFailure {
  /// The failure for a file that two paths stand for.
  fileprivate static func repeated(_ file: String, of path: String, and other: String) -> FileFailure {
    let (file, other) = (file.withControlCharactersEscaped, other.withControlCharactersEscaped)
    let rows = file == path.withControlCharactersEscaped ? "Its rows" : "The rows of \(file)"
    return FileFailure(
      .incompatible,
      path,
      "\(rows) are also those of \(other), and would count twice",
      advice: "Give each output, table and file once"
    )
  }
}
