/// The queue of lines that wait to be made durable, in groups of bounded size. A pure struct: its owner holds the lock
/// and writes the files.
struct CommitQueue<Waiter: Sendable>: Sendable {
  /// The lines of one file, with the requests that wait for it.
  struct Group: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// The waiters to notify when the group has been written or has failed.
    fileprivate(set) var waiters: [Waiter] = []
  }

  private let groupBytes: Int
  private let waitingLimit: Int
  private var groups: [Group] = []
  /// The number of bytes in waiting groups, including the group that is being written.
  private(set) var waitingBytes = 0

  /// Creates an empty queue. A group has at most `groupBytes` bytes, unless a single request has more; at most
  /// `waitingLimit` bytes may wait together.
  init(groupBytes: Int, waitingLimit: Int) {
    self.groupBytes = groupBytes
    self.waitingLimit = waitingLimit
  }

  /// Indicates that no group waits to be written.
  var isEmpty: Bool { groups.isEmpty }

  /// Adds the lines of a request, which stay in one group; returns false if there is no room.
  mutating func append(_ lines: [UInt8], _ waiter: Waiter) -> Bool {
    guard waitingBytes + lines.count <= waitingLimit else { return false }
    waitingBytes += lines.count
    if groups.last.map({ $0.bytes.count + lines.count > groupBytes }) ?? true { groups.append(Group()) }
    if groups[groups.count - 1].bytes.isEmpty {
      // Moves the array instead of copying it, because it may be large.
      groups[groups.count - 1].bytes = lines
    } else {
      groups[groups.count - 1].bytes += lines
    }
    groups[groups.count - 1].waiters.append(waiter)
    return true
  }

  /// Removes the next group to write; nil if there is none. Its bytes count as waiting until `finish`.
  mutating func take() -> Group? { groups.isEmpty ? nil : groups.removeFirst() }

  /// Ends the wait of a group that was written or has failed.
  mutating func finish(_ group: Group) { waitingBytes -= group.bytes.count }
}
