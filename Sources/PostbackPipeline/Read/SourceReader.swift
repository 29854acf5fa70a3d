internal import DurableFiles

/// The batches of records of a source's inputs, read one input after the other.
///
/// Each record belongs to one batch; small inputs share a batch. Apart from idle steps, the division of records
/// into batches depends only on the inputs. Reading blocks the calling thread. If an input cannot be read, the sequence
/// throws the failure and ends, and records that were read since the input's last batch are not handed on. With
/// `skipsUnreadableInputs` the input ends with the failure instead, and the next one is read, unless it was the disk that
/// failed.
package struct SourceReader: AsyncSequence {
  package typealias Element = Step<RawBatch>
  package typealias Failure = PipelineFailure

  private let source: any InputSource
  private let catalog: InputCatalog
  private let limits: @Sendable () -> ReadLimits
  private let skipsUnreadableInputs: Bool

  /// A reader of a source's inputs. `catalog` decides at which record each input begins, and `limits` is called for
  /// each input.
  package init(
    _ source: any InputSource,
    _ catalog: InputCatalog,
    limits: @escaping @Sendable () -> ReadLimits = { ReadLimits() },
    skipsUnreadableInputs: Bool = false
  ) {
    self.source = source
    self.catalog = catalog
    self.limits = limits
    self.skipsUnreadableInputs = skipsUnreadableInputs
  }

  /// An iterator that begins at the first input.
  package func makeAsyncIterator() -> Iterator {
    Iterator(source: source, catalog: catalog, limits: limits, skipsUnreadableInputs: skipsUnreadableInputs)
  }

  /// The state of reading: the open input, and a batch that was read ahead.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: any InputSource
    fileprivate let catalog: InputCatalog
    fileprivate let limits: @Sendable () -> ReadLimits
    fileprivate let skipsUnreadableInputs: Bool
    private var reader: InputReader?
    /// The result that was read ahead and could not be joined to the batch before; nil if there is none.
    private var next: Result<Step<RawBatch>?, PipelineFailure>?
    private var isEnded = false

    fileprivate init(
      source: any InputSource,
      catalog: InputCatalog,
      limits: @escaping @Sendable () -> ReadLimits,
      skipsUnreadableInputs: Bool
    ) {
      self.source = source
      self.catalog = catalog
      self.limits = limits
      self.skipsUnreadableInputs = skipsUnreadableInputs
    }

    /// Returns the next step; nil after the last one and after a failure.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> Step<RawBatch>? {
      guard !isEnded else { return nil }
      do throws(PipelineFailure) {
        if let step = try nextGroup() { return step }
        isEnded = true
        return nil
      } catch {
        isEnded = true
        throw error
      }
    }

    /// Returns the next step. The batches of small inputs that follow each other are joined.
    private mutating func nextGroup() throws(PipelineFailure) -> Step<RawBatch>? {
      guard let step = try take() else { return nil }
      guard case .batch(var group) = step else { return step }
      while group.isSmall {
        next = Result { () throws(PipelineFailure) in try nextStep() }
        guard case .success(.batch(let batch)?) = next, batch.isSmall else { break }
        group.append(batch)
        next = nil
      }
      return .batch(group)
    }

    private mutating func take() throws(PipelineFailure) -> Step<RawBatch>? {
      guard let next else { return try nextStep() }
      self.next = nil
      return try next.get()
    }

    private mutating func nextStep() throws(PipelineFailure) -> Step<RawBatch>? {
      while true {
        if let reader {
          if source.shouldStop() { return nil }
          do throws(FileFailure) {
            if let batch = try reader.nextBatch() { return .batch(batch) }
          } catch {
            guard skipsUnreadableInputs, !error.isOfSystem else { throw .read(error) }
            return .batch(reader.fail(error))
          }
        }
        reader = nil
        switch try source.next() {
        case .input(let opened):
          let input = opened.input
          do throws(PipelineFailure) { reader = try InputReader(opened, catalog, limits: limits()) } catch {
            guard skipsUnreadableInputs, case .read(let failure) = error, !failure.isOfSystem else { throw error }
            return .batch(InputReader.failed(input, failure))
          }
        case .idle: return .idle
        case .end: return nil
        }
      }
    }
  }
}

/// The batches of records of a list of inputs, from the start of each. The list is never idle.
package struct PostbackReader: AsyncSequence {
  package typealias Element = RawBatch
  package typealias Failure = PipelineFailure

  private let reader: SourceReader

  /// A reader of all of `inputs` from their start; `InputFile.enumerate(_:)` finds them.
  package init(inputs: [InputFile], limits: ReadLimits = ReadLimits()) {
    reader = SourceReader(InputList(inputs), InputCatalog(), limits: { limits })
  }

  /// An iterator that begins at the first input.
  package func makeAsyncIterator() -> Iterator { Iterator(steps: reader.makeAsyncIterator()) }

  /// The state of reading.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: SourceReader.Iterator

    /// Returns the next batch; nil after the last one and after a failure.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> RawBatch? {
      while let step = try await steps.next(isolation: actor) {
        if case .batch(let batch) = step { return batch }
      }
      return nil
    }
  }
}
