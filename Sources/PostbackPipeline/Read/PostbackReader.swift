/// Reads inputs into batches of records, one input after the other.
///
/// A record belongs to one batch; inputs that are small share one. How records are divided into batches depends on the
/// inputs alone, but for pauses. Reading blocks the calling thread. Where an input cannot be
/// read the sequence ends with the failure, and what was read since its last batch is not handed on; or, with
/// `passesFailures`, the input ends so and the next one is read.
package struct PostbackReader: AsyncSequence {
  package typealias Element = RawBatch
  package typealias Failure = PipelineFailure

  private let source: any InputSource
  private let register: InputRegister
  private let limits: ReadLimits
  private let passesFailures: Bool

  /// Reads what a source has, from where a register says.
  package init(
    _ source: any InputSource,
    _ register: InputRegister,
    limits: ReadLimits = ReadLimits(),
    passesFailures: Bool = false
  ) {
    self.source = source
    self.register = register
    self.limits = limits
    self.passesFailures = passesFailures
  }

  /// Reads all of `inputs`, see `InputFile.enumerate(_:)`.
  package init(inputs: [InputFile], limits: ReadLimits = ReadLimits()) {
    self.init(InputList(inputs), InputRegister(), limits: limits)
  }

  /// Begins at the first input.
  package func makeAsyncIterator() -> Iterator {
    Iterator(source: source, register: register, limits: limits, passesFailures: passesFailures)
  }

  /// Where reading stands.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: any InputSource
    fileprivate let register: InputRegister
    fileprivate let limits: ReadLimits
    fileprivate let passesFailures: Bool
    private var reader: InputReader?
    /// What was read and did not fit behind the batch before.
    private var next: Result<RawBatch?, PipelineFailure>?
    private var isEnded = false

    fileprivate init(source: any InputSource, register: InputRegister, limits: ReadLimits, passesFailures: Bool) {
      self.source = source
      self.register = register
      self.limits = limits
      self.passesFailures = passesFailures
    }

    /// The next batch; nil after the last and after a failure.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> RawBatch? {
      guard !isEnded else { return nil }
      do throws(PipelineFailure) {
        if let batch = try nextGroup() { return batch }
        isEnded = true
        return nil
      } catch {
        isEnded = true
        throw error
      }
    }

    /// The next batch, with those of small inputs that follow put together.
    private mutating func nextGroup() throws(PipelineFailure) -> RawBatch? {
      guard var group = try take() else { return nil }
      while group.isSmall {
        next = Result { () throws(PipelineFailure) in try nextBatch() }
        guard case .success(let batch?) = next, batch.isSmall else { break }
        group.append(batch)
        next = nil
      }
      return group
    }

    private mutating func take() throws(PipelineFailure) -> RawBatch? {
      guard let next else { return try nextBatch() }
      self.next = nil
      return try next.get()
    }

    private mutating func nextBatch() throws(PipelineFailure) -> RawBatch? {
      while true {
        if let reader {
          if source.shouldStop() { return nil }
          do throws(ReadFailure) {
            if let batch = try reader.nextBatch() { return batch }
          } catch {
            guard passesFailures else { throw .read(error) }
            return reader.fail(error)
          }
        }
        reader = nil
        switch try source.next() {
        case .input(let opened):
          let input = opened.input
          do throws(PipelineFailure) { reader = try InputReader(opened, register, limits: limits) } catch {
            guard passesFailures, case .read(let failure) = error else { throw error }
            return InputReader.failed(input, failure)
          }
        case .pause: return .pause
        case .end: return nil
        }
      }
    }
  }
}
