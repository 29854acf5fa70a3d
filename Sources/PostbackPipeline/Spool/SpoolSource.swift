/// The files of a spool as inputs, one after the other, as long as nobody asks to end.
///
/// What was taken stays in the spool until what it holds is committed, and `putAway` is told.
package final class SpoolSource: InputSource {
  /// What happens that somebody may want to know of.
  package enum Event {
    /// A file was not read; it is in `failed/` by now, if it was there to be moved.
    case refused(SpoolRefusal)
    /// A file could not be put away, or has changed; a sentence.
    case notPutAway(String)
  }

  private let folder: SpoolFolder
  private let waiter: SpoolWaiter
  private let tell: (Event) -> Void
  private let handle: (ReceivedSignal) -> Void
  private let signals: Signals
  private var entries: ArraySlice<SpoolEntry> = []
  /// What was taken and is not put away, by path.
  private var taken: [String: (entry: SpoolEntry, identity: SpoolIdentity)] = [:]
  /// Whether a scan may bring something.
  private var mayHaveInput = true
  /// Whether no more inputs are to be taken.
  package private(set) var isStopped = false

  /// Takes files from a folder; tells what happens, and has signals handled.
  package init(
    _ folder: SpoolFolder,
    _ waiter: SpoolWaiter,
    _ signals: Signals,
    tell: @escaping (Event) -> Void,
    handle: @escaping (ReceivedSignal) -> Void
  ) {
    self.folder = folder
    self.waiter = waiter
    self.signals = signals
    self.tell = tell
    self.handle = handle
  }

  /// Whether reading is to stop, also in the middle of an input: looks for signals.
  package func shouldStop() -> Bool {
    for signal in signals.pending() { receive(signal) }
    return isStopped
  }

  /// Opens the next file; a pause where there is none now.
  package func next() throws(PipelineFailure) -> NextInput {
    guard !shouldStop() else { return .end }
    do throws(SpoolFailure) {
      while true {
        while let entry = entries.popFirst() {
          guard taken[entry.path] == nil, let file = try open(entry) else { continue }
          let (input, identity) = (file.input, file.identity)
          taken[entry.path] = (entry, identity)
          return .input(OpenInput(input, file.opened(), FileIdentity(identity)))
        }
        guard mayHaveInput else { return .pause }
        mayHaveInput = false
        entries = try folder.scan()[...]
      }
    } catch {
      throw .spool(error)
    }
  }

  private func open(_ entry: SpoolEntry) throws(SpoolFailure) -> SpoolFile? {
    do { return try folder.open(entry) } catch {
      switch error.kind {
      case .failure(let failure): throw failure
      case .vanished: break
      case .unusableName, .notRegular, .unreadable: put(folder.fail(entry, reason: error.reason))
      }
      tell(.refused(error))
      return nil
    }
  }

  /// Puts away a file that was read, when what it holds is committed.
  package func putAway(_ ended: Tables.Ended) {
    guard let (entry, identity) = taken.removeValue(forKey: ended.input.path) else { return }
    switch ended.end {
    case .finished, .known: put(folder.file(entry, identity))
    case .failed(let reason): put(folder.fail(entry, reason: reason))
    }
  }

  private func put(_ filing: SpoolFiling) {
    // One that has changed, and one that is stuck, waits on.
    if let problem = filing.problem {
      mayHaveInput = true
      tell(.notPutAway(problem))
    }
  }

  /// Waits until there may be input, somebody asks to end, or the time is over; returns at once where one of them is so
  /// already.
  package func wait(upTo limit: Duration) throws(SpoolFailure) {
    guard !isStopped, !mayHaveInput else { return }
    var limit = limit
    if let next = folder.nextScan { limit = max(min(limit, ContinuousClock.now.duration(to: next)), .zero) }
    switch try waiter.wait(upTo: limit) {
    case .input, .timeout: mayHaveInput = true
    case .signal(let signal): receive(signal)
    }
  }

  /// Takes no more.
  package func stop() { isStopped = true }

  /// Whether nothing waits, as far as is known, or is taken and not put away.
  package var isEmpty: Bool { entries.isEmpty && taken.isEmpty && !mayHaveInput && folder.nextScan == nil }

  /// What waits to be taken.
  package func backlog() -> SpoolBacklog { folder.backlog() }

  private func receive(_ signal: ReceivedSignal) {
    isStopped = isStopped || signal.asksToEnd
    handle(signal)
  }
}

extension FileIdentity {
  /// The file that a spool's is.
  init(_ identity: SpoolIdentity) {
    self.init(device: identity.device, inode: identity.inode, byteCount: identity.byteCount)
  }
}
