/// One input: a file, or standard input.
package struct InputFile: Hashable, Sendable {
  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// The path as it was given. For a file in a directory that was given: the directory, a slash and the file's name.
  package var path: String
  /// The time of the file's last modification, in milliseconds since 1970; nil if it is not a regular file.
  package var modified: Int64?
  /// The size of the file as stored, in bytes; nil if it is not a regular file.
  package var byteCount: Int64?

  /// An input file; `modified` and `byteCount` are nil if it is not a regular file.
  package init(path: String, modified: Int64? = nil, byteCount: Int64? = nil) {
    self.path = path
    self.modified = modified
    self.byteCount = byteCount
  }
}
