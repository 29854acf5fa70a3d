internal import PostbackVerification
internal import PostbackCopies
internal import TableReading

/// The postbacks whose copies are followed.
struct CopyDraw: Sendable {
  fileprivate var draw = Draw()
  /// The postbacks with too many different copies.
  fileprivate var flooded: Set<UInt128> = []

  /// Tells if the copies of a postback are followed.
  func follows(_ key: UInt128) -> Bool {
    draw.takes(UInt64(truncatingIfNeeded: key)) && (flooded.isEmpty || !flooded.contains(key))
  }
}

/// The rejected copies of all postbacks, and the rates that follow from rejects alone.
///
/// If there are too many, those of some postbacks are left out, drawn by their keys: never some copies of a postback, so
/// that nobody can hide a copy behind others.
struct SentCopies: Sendable {
  /// The counts of rejects, and of the copies that are left out.
  private(set) var counts = SignalCounts()
  private(set) var draw = CopyDraw()
  private var list = CopyList()
  private var isTooLarge = false

  private static let mostBytes = 96 << 20
  /// The most different copies of one postback that are followed if there are too many in all.
  private static let mostOfOne = 512

  /// Adds the copies and the rates of a batch of rejects.
  mutating func add(_ copies: RejectedCopies, _ found: SignalCounts) {
    for (key, record) in copies.records {
      if draw.follows(UInt128(key)) {
        list.add(0, UInt128(key), PostbackCopy.withoutInline(record[...]))
      } else {
        counts.unfollowed += 1
      }
    }
    counts.merge(found)
    if list.byteCount > 2 * Self.mostBytes { finish() }
  }

  /// Merges equal copies, and leaves some out if there are too many.
  mutating func finish() {
    list.merge()
    isTooLarge = isTooLarge || list.byteCount > Self.mostBytes
    guard isTooLarge else { return }
    var different: [UInt128: Int] = [:]
    list.forEach { _, key, _ in different[key, default: 0] += 1 }
    draw.flooded.formUnion(different.filter { $0.value > Self.mostOfOne }.keys)
    leaveOut()
    while list.byteCount > Self.mostBytes {
      draw.draw.halve()
      leaveOut()
    }
  }

  private mutating func leaveOut() {
    let draw = draw
    list.forEach { _, key, record in
      if !draw.follows(key) { counts.unfollowed += PostbackCopy(record: record).count }
    }
    list.removeAll { !draw.follows($0) }
  }

  /// The copies by the keys of their postbacks.
  var table: RecordTable { list.table() }
}
