/// One input: a file, or standard input.
package struct InputFile: Hashable, Sendable {
  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// The path as it was given; for a file of a directory that was given, the directory, a slash and its name.
  package var path: String
  /// When the file was last changed, in milliseconds since 1970; nil for what is not a regular file.
  package var modified: Int64?
  /// The file's size as stored; nil for what is not a regular file.
  package var byteCount: Int64?
}
