/// What waits to be made durable, in groups of bounded size: a pure struct, whose owner holds the lock and writes the files.
struct CommitQueue<Waiter: Sendable>: Sendable {
  /// What becomes one file.
  struct Group: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// Who is told when it is durable.
    fileprivate(set) var waiters: [Waiter] = []
  }

  private let groupBytes: Int
  private let waitingLimit: Int
  private var groups: [Group] = []
  /// Bytes that wait, with those that are being written.
  private(set) var waitingBytes = 0

  /// Groups of at most `groupBytes`, unless one request alone has more; at most `waitingLimit` bytes wait together.
  init(groupBytes: Int, waitingLimit: Int) {
    self.groupBytes = groupBytes
    self.waitingLimit = waitingLimit
  }

  /// Whether nothing waits to be taken.
  var isEmpty: Bool { groups.isEmpty }

  /// Puts the lines of a request in, which stay together; false where there is no room.
  mutating func append(_ lines: [UInt8], _ waiter: Waiter) -> Bool {
    guard waitingBytes + lines.count <= waitingLimit else { return false }
    waitingBytes += lines.count
    if groups.last.map({ $0.bytes.count + lines.count > groupBytes }) ?? true { groups.append(Group()) }
    if groups[groups.count - 1].bytes.isEmpty {
      // The very same memory: there may be much of it.
      groups[groups.count - 1].bytes = lines
    } else {
      groups[groups.count - 1].bytes += lines
    }
    groups[groups.count - 1].waiters.append(waiter)
    return true
  }

  /// The next group to write; its bytes count as waiting until it is finished.
  mutating func take() -> Group? { groups.isEmpty ? nil : groups.removeFirst() }

  /// A group was written, or given up.
  mutating func finish(_ group: Group) { waitingBytes -= group.bytes.count }
}
