internal import DurableFiles
internal import Glibc
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// The inputs of commands that read sessions and events.
enum EventInputs {
  /// Returns the inputs at paths: the parts of `s2s_events` in an output, otherwise all files. Throws if two paths stand for the
  /// same file, whose rows would count twice.
  static func inputs(at paths: [String]) throws(FileFailure) -> [InputFile] {
    var (inputs, given) = ([InputFile](), GivenFiles())
    for path in paths {
      let found = try self.inputs(at: path)
      try given.add(found, of: path)
      inputs += found
    }
    return inputs
  }

  private static func inputs(at path: String) throws(FileFailure) -> [InputFile] {
    if path != InputFile.standardInput, try InputFile.isFolder(path),
      let table = try TableFiles(derived: .sessionEvents, in: path)
    {
      return table.inputs
    }
    return try InputFile.enumerate([path])
  }

  /// The folder of temporary files where none is given.
  static var systemTemporaryFolder: String {
    guard let path = unsafe getenv("TMPDIR") else { return "/tmp" }
    return unsafe String(cString: path)
  }
}
