package import DurableFiles
package import InputForms
package import PostbackPipeline

/// The input source that takes the files of a spool one after the other, until a signal or `stop` ends it.
///
/// A file that was taken stays in the spool until its content is committed and `putAway` is called.
package final class SpoolSource: InputSource {
  /// An event for the log.
  package enum Event {
    /// A file was not read. It is in `failed/` now, unless it has vanished or cannot be moved.
    case refused(SpoolRefusal)
    /// A file cannot be put away, or has changed since it was read. The value is a sentence for the log.
    case notPutAway(String)
  }

  private let folder: SpoolFolder
  private let waiter: SpoolWaiter
  private let tell: (Event) -> Void
  private let handle: (ReceivedSignal) -> Void
  private let signals: UnixSignals
  private var entries: ArraySlice<SpoolEntry> = []
  /// The files that were opened and are not put away yet, by path.
  private var taken: [String: (entry: SpoolEntry, identity: SpoolIdentity)] = [:]
  /// True if a scan may find files.
  private var mayHaveInput = true
  /// The form in which the files may be.
  package var form = InputForm()
  /// True if no more inputs are to be taken.
  package private(set) var isStopped = false

  /// Creates a source for a folder. It passes events to `tell`, and signals to `handle`.
  package init(
    _ folder: SpoolFolder,
    _ waiter: SpoolWaiter,
    _ signals: UnixSignals,
    tell: @escaping (Event) -> Void,
    handle: @escaping (ReceivedSignal) -> Void
  ) {
    self.folder = folder
    self.waiter = waiter
    self.signals = signals
    self.tell = tell
    self.handle = handle
  }

  /// Handles pending signals, and returns true if reading must stop, even in the middle of an input.
  package func shouldStop() -> Bool {
    for signal in signals.pending() { receive(signal) }
    return isStopped
  }

  /// Opens the next file. Returns `.idle` if none waits now, and `.end` if reading must stop.
  package func next() throws(PipelineFailure) -> NextInput {
    guard !shouldStop() else { return .end }
    do throws(FileFailure) {
      while true {
        while let entry = entries.popFirst() {
          guard taken[entry.path] == nil, let file = try open(entry) else { continue }
          var (input, identity) = (file.input, file.identity)
          input.form = form
          taken[entry.path] = (entry, identity)
          return .input(OpenInput(input, file.opened(), FileIdentity(identity)))
        }
        guard mayHaveInput else { return .idle }
        mayHaveInput = false
        entries = try folder.scan()[...]
      }
    } catch {
      throw .spool(error)
    }
  }

  private func open(_ entry: SpoolEntry) throws(FileFailure) -> SpoolFile? {
    do { return try folder.open(entry) } catch {
      switch error.kind {
      case .failure(let failure): throw failure
      case .vanished: break
      case .unusableName, .notRegular, .unreadable: put(entry, folder.fail(entry, reason: error.reason))
      }
      tell(.refused(error))
      return nil
    }
  }

  /// Puts away a file that was read. Call it once the content of the file is committed.
  package func putAway(_ ended: TableWriter.Ended) {
    guard let (entry, identity) = taken.removeValue(forKey: ended.input.path) else { return }
    switch ended.end {
    case .finished, .known: put(entry, folder.archive(entry, identity))
    case .failed(let reason): put(entry, folder.fail(entry, reason: reason))
    }
  }

  private func put(_ entry: SpoolEntry, _ filing: ArchiveResult) {
    if case .stuck = filing { folder.notPutAway.insert(entry.name) } else { folder.notPutAway.remove(entry.name) }
    // A file that has changed or cannot be moved still waits, so a scan may find it.
    if let problem = filing.problem {
      mayHaveInput = true
      tell(.notPutAway(problem))
    }
  }

  /// Waits until there may be input, a signal comes, or the time is over. Returns at once if the source is stopped or
  /// may have input already.
  package func wait(upTo limit: Duration) throws(FileFailure) {
    guard !isStopped, !mayHaveInput else { return }
    var limit = limit
    if let next = folder.nextScan { limit = max(min(limit, ContinuousClock.now.duration(to: next)), .zero) }
    switch try waiter.wait(upTo: limit) {
    case .input, .timeout: mayHaveInput = true
    case .signal(let signal): receive(signal)
    }
  }

  /// Stops the source: no more inputs are taken.
  package func stop() { isStopped = true }

  /// True if no file is known to wait, none is taken and not put away, and no scan is due later.
  package var isEmpty: Bool { entries.isEmpty && taken.isEmpty && !mayHaveInput && folder.nextScan == nil }

  private func receive(_ signal: ReceivedSignal) {
    isStopped = isStopped || signal.asksToEnd
    handle(signal)
  }
}

extension FileIdentity {
  /// The identity of a file of a spool, without its modification time.
  init(_ identity: SpoolIdentity) {
    self.init(device: identity.device, inode: identity.inode, byteCount: identity.byteCount)
  }
}
