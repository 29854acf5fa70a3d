/// The objects inside an open value that begin a line: where framing goes on if the value turns out to be broken.
///
/// Of objects inside objects that are complete only the outermost is kept.
struct NestedObjects {
  /// Where an object begins.
  struct Start {
    /// The bytes of the open value before it.
    let offset: Int
    /// The line that it begins.
    let line: Int
    /// The number of brackets that it is in.
    let depth: Int
    /// Whether its end was not seen.
    fileprivate(set) var isOpen = true
  }

  /// The starts, in order.
  private(set) var starts: [Start] = []
  /// The indices of those that are open, each inside the one before.
  private var open: [Int] = []

  /// Whether an object is open that begins at `offset` or behind it.
  func hasOpen(from offset: Int) -> Bool { open.last.map { starts[$0].offset >= offset } ?? false }

  /// Adds an object that begins.
  mutating func add(offset: Int, line: Int, depth: Int) {
    open.append(starts.count)
    starts.append(Start(offset: offset, line: line, depth: depth))
  }

  /// Closes the objects that began in `depth` brackets or more.
  mutating func close(downTo depth: Int) {
    while let index = open.last, starts[index].depth >= depth {
      starts[index].isOpen = false
      starts.removeSubrange((index + 1)...)
      open.removeLast()
    }
  }

  /// Forgets all.
  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
  }
}
