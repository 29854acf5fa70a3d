/// A file of a spool, open for reading: a regular file, the one that its identity tells of.
package struct SpoolFile: ~Copyable, Sendable {
  /// Its path in the spool, time and size, as the reader wants them.
  package let input: InputFile
  /// Which file it is, from the descriptor that it is read by.
  package let identity: SpoolIdentity
  private let file: OpenFile

  /// Takes over the descriptor.
  init(descriptor: Int32, path: String, _ identity: SpoolIdentity) {
    self.identity = identity
    input = InputFile(path: path, modified: identity.modified, byteCount: identity.byteCount)
    file = OpenFile(descriptor: descriptor, path: path)
  }

  /// The open file, which the reader then owns.
  consuming func opened() -> OpenFile { file }
}
