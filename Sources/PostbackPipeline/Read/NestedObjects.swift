/// The objects that begin a line inside an open value: places to resume framing if the value turns out to be broken.
///
/// Objects inside a complete object are dropped; only the outermost complete one is kept.
struct NestedObjects {
  /// The start of an object.
  struct Start {
    /// The number of bytes of the open value before the object.
    let offset: Int
    /// The line that the object begins, from 1.
    let line: Int
    /// The number of open brackets around the object.
    let depth: Int
    /// True if the end of the object was not seen.
    fileprivate(set) var isOpen = true
  }

  /// The starts, in the order of the text.
  private(set) var starts: [Start] = []
  /// The indices of the objects in `starts` that are open, each inside the one before.
  private var open: [Int] = []

  /// Tells if an object is open that begins at `offset` or behind it.
  func hasOpen(from offset: Int) -> Bool { open.last.map { starts[$0].offset >= offset } ?? false }

  /// Adds an open object.
  mutating func add(offset: Int, line: Int, depth: Int) {
    open.append(starts.count)
    starts.append(Start(offset: offset, line: line, depth: depth))
  }

  /// Closes the open objects that have at least `depth` brackets around them.
  mutating func close(downTo depth: Int) {
    while let index = open.last, starts[index].depth >= depth {
      starts[index].isOpen = false
      starts.removeSubrange((index + 1)...)
      open.removeLast()
    }
  }

  /// Removes all objects.
  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
  }
}
