/// A regular file of a spool, open for reading.
package struct SpoolFile: ~Copyable, Sendable {
  /// The path, modification time and size of the file, for the reader.
  package let input: InputFile
  /// The identity of the file, from fstat(2) on the open descriptor.
  package let identity: SpoolIdentity
  private let file: OpenFile

  /// Takes ownership of the descriptor.
  init(descriptor: Int32, path: String, _ identity: SpoolIdentity) {
    self.identity = identity
    input = InputFile(path: path, modified: identity.modified, byteCount: identity.byteCount)
    file = OpenFile(descriptor: descriptor, path: path)
  }

  /// Returns the open file. The caller then owns it.
  consuming func opened() -> OpenFile { file }
}
