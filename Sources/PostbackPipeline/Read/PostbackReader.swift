/// The batches of records of a source's inputs, read one input after the other.
///
/// Each record belongs to one batch; small inputs share a batch. Apart from pauses, the division of records into
/// batches depends only on the inputs. Reading blocks the calling thread. If an input cannot be read, the sequence
/// throws the failure and ends, and records that were read since the input's last batch are not handed on. With
/// `passesFailures` the input ends with the failure instead, and the next one is read.
package struct PostbackReader: AsyncSequence {
  package typealias Element = RawBatch
  package typealias Failure = PipelineFailure

  private let source: any InputSource
  private let register: InputRegister
  private let limits: ReadLimits
  private let passesFailures: Bool

  /// A reader of a source's inputs. `register` decides at which record each input begins.
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

  /// A reader of all of `inputs` from their start; `InputFile.enumerate(_:)` finds them.
  package init(inputs: [InputFile], limits: ReadLimits = ReadLimits()) {
    self.init(InputList(inputs), InputRegister(), limits: limits)
  }

  /// An iterator that begins at the first input.
  package func makeAsyncIterator() -> Iterator {
    Iterator(source: source, register: register, limits: limits, passesFailures: passesFailures)
  }

  /// The state of reading: the open input, and a batch that was read ahead.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: any InputSource
    fileprivate let register: InputRegister
    fileprivate let limits: ReadLimits
    fileprivate let passesFailures: Bool
    private var reader: InputReader?
    /// The result that was read ahead and could not be joined to the batch before; nil if there is none.
    private var next: Result<RawBatch?, PipelineFailure>?
    private var isEnded = false

    fileprivate init(source: any InputSource, register: InputRegister, limits: ReadLimits, passesFailures: Bool) {
      self.source = source
      self.register = register
      self.limits = limits
      self.passesFailures = passesFailures
    }

    /// Returns the next batch; nil after the last one and after a failure.
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

    /// Returns the next batch. The batches of small inputs that follow each other are joined.
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
