/// Reads inputs into batches of records, one input after the other.
///
/// A batch belongs to one input, and a record to one batch. Reading blocks the calling thread. The file that fails ends
/// the sequence: what was read of it since its last batch is not handed on.
package struct PostbackReader: AsyncSequence, Sendable {
  private let inputs: [InputFile]
  private let limits: ReadLimits

  /// Reads `inputs`, see `InputFile.enumerate(_:)`.
  package init(inputs: [InputFile], limits: ReadLimits = ReadLimits()) {
    self.inputs = inputs
    self.limits = limits
  }

  /// Begins at the first input.
  package func makeAsyncIterator() -> Iterator { Iterator(inputs: inputs[...], limits: limits) }

  /// Where reading stands.
  package struct Iterator: AsyncIteratorProtocol {
    private var inputs: ArraySlice<InputFile>
    private let limits: ReadLimits
    private var reader: InputReader?

    fileprivate init(inputs: ArraySlice<InputFile>, limits: ReadLimits) {
      self.inputs = inputs
      self.limits = limits
    }

    /// The next batch; nil after the last and after a failure.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ReadFailure) -> RawBatch? {
      do {
        return try nextBatch()
      } catch {
        (inputs, reader) = ([], nil)
        throw error
      }
    }

    private mutating func nextBatch() throws(ReadFailure) -> RawBatch? {
      while true {
        if let batch = try reader?.nextBatch() { return batch }
        guard let input = inputs.popFirst() else { return nil }
        reader = try InputReader(input, limits: limits)
      }
    }
  }
}
