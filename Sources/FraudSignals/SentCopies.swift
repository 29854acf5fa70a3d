internal import JSON
internal import LookupTables
internal import PostbackCopies
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// Rejected copies of an accepted postback with the same content from the same sender.
struct SentCopy: Sendable {
  let key: UInt128
  /// The times of receipt of the first and of the last of them; the greatest and the least number if none is known.
  var first = Int64.max
  var last = Int64.min
  var count: Int32 = 1
  /// The number of the forwarder in `SentCopies.forwarders`; -1 for none.
  var forwarder: Int32
  /// Indicates that a device sent it itself, by its channel.
  let isDirect: Bool
  /// Indicates that it has the unsigned values of the accepted copy; then `values` has none.
  let isIdentical: Bool
  let values: UnsignedValues

  fileprivate func isSame(as other: Self) -> Bool {
    key == other.key && forwarder == other.forwarder && isDirect == other.isDirect
      && isIdentical == other.isIdentical && values == other.values
  }

  fileprivate func precedes(_ other: Self) -> Bool {
    if key != other.key { return key < other.key }
    if isDirect != other.isDirect { return isDirect }
    if forwarder != other.forwarder { return forwarder < other.forwarder }
    if isIdentical != other.isIdentical { return isIdentical }
    return values < other.values
  }
}

/// The rejected copies of all postbacks, sorted by the postback, and the rates that follow from rejects alone.
///
/// If there are too many, those of some postbacks are left out, drawn by their keys: never some copies of a postback, so
/// that nobody can hide a copy behind others.
struct SentCopies: Sendable {
  private(set) var copies: [SentCopy] = []
  private(set) var forwarders: [String] = []
  private var numbers: [String: Int32] = [:]
  private(set) var rates = SignalRates()
  /// The number of copies that are left out, because there are too many.
  private(set) var unfollowed = 0
  private(set) var unreadable = UnreadableRows()
  /// The bits that are 0 in the keys of postbacks whose copies are followed.
  private var mask: UInt128 = 0
  /// The postbacks with too many different copies.
  private var flooded: Set<UInt128> = []

  private static let largestCount = 1_000_000
  /// The most different copies of one postback that are followed if there are too many in all.
  private static let mostOfOne = 512

  /// Tells if the copies of a postback are followed.
  func follows(_ key: UInt128) -> Bool { key & mask == 0 && (flooded.isEmpty || !flooded.contains(key)) }

  mutating func merge(_ later: SentCopies) {
    for var copy in later.copies {
      guard follows(copy.key) else {
        unfollowed += Int(copy.count)
        continue
      }
      if copy.forwarder >= 0 { copy.forwarder = number(of: later.forwarders[Int(copy.forwarder)]) }
      copies.append(copy)
      if copies.count >= Self.largestCount { shrink() }
    }
    unfollowed += later.unfollowed
    rates += later.rates
    unreadable += later.unreadable
  }

  /// Sorts the copies, and merges those of the same content and sender.
  mutating func sort() {
    copies.sort { $0.precedes($1) }
    var end = 0
    for index in copies.indices {
      if end > 0, copies[end - 1].isSame(as: copies[index]) {
        copies[end - 1].first = min(copies[end - 1].first, copies[index].first)
        copies[end - 1].last = max(copies[end - 1].last, copies[index].last)
        copies[end - 1].count += copies[index].count
      } else {
        copies[end] = copies[index]
        end += 1
      }
    }
    copies.removeSubrange(end...)
  }

  /// Leaves copies out until a quarter of the places is free.
  private mutating func shrink() {
    sort()
    for index in copies.indices.dropFirst(Self.mostOfOne) where copies[index - Self.mostOfOne].key == copies[index].key
    {
      flooded.insert(copies[index].key)
    }
    leaveOut()
    while copies.count > Self.largestCount / 4 * 3 {
      mask = mask << 1 | 1
      leaveOut()
    }
  }

  private mutating func leaveOut() {
    for copy in copies where !follows(copy.key) { unfollowed += Int(copy.count) }
    let (mask, flooded) = (mask, flooded)
    copies.removeAll { $0.key & mask != 0 || flooded.contains($0.key) }
  }

  private mutating func number(of forwarder: String?) -> Int32 {
    guard let forwarder else { return -1 }
    if let number = numbers[forwarder] { return number }
    let number = Int32(forwarders.count)
    forwarders.append(forwarder)
    numbers[forwarder] = number
    return number
  }

  /// Begins without copies.
  init() {}

  /// Reads a batch of rows of `skan_rejects`: the copies that pass one filter, and the rates of what passes the other.
  init(_ batch: RawBatch, copies copyFilter: RowFilter, rates rateFilter: RowFilter) {
    let (code, key) = (Table.rejects.place(.rejectCode), Table.rejects.place(.firstSeenPostbackKey))
    let columns = RejectColumns()
    var parser = PostbackParser()
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard let code = row.text(code).flatMap(RejectCode.init) else { continue }
      let (forwarder, time) = (row.text(columns.forwarder), row.time(columns.receivedAt))
      if rateFilter.matches(row) {
        let day = DaySeries.day(of: time)
        rates.add(.invalidSignatures, .forwarder, forwarder, code == .signatureInvalid, on: day)
        rates.add(.reusedTransactions, .forwarder, forwarder, code == .duplicateTransaction, on: day)
      }
      guard code == .duplicateIdentical || code == .duplicateConflict, copyFilter.matches(row), let key = row.key(key)
      else { continue }
      var values = UnsignedValues()
      if code == .duplicateConflict {
        values = columns.copy(row, &parser).map { UnsignedValues($0.postback) } ?? .allUnreadable
      }
      copies.append(
        SentCopy(
          key: UInt128(key),
          first: time ?? .max,
          last: time ?? .min,
          forwarder: number(of: forwarder),
          isDirect: row.has(Channel.appleDirect.rawValue, in: columns.channel),
          isIdentical: code == .duplicateIdentical,
          values: values
        )
      )
    }
    unreadable = row.unreadable
  }

  /// The copies of a postback: those of devices first, and those of a forwarder one after the other.
  func copies(of key: UInt128) -> ArraySlice<SentCopy> {
    var (low, high) = (0, copies.count)
    while low < high {
      let middle = (low + high) / 2
      if copies[middle].key < key { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < copies.count, copies[end].key == key { end += 1 }
    return copies[low..<end]
  }
}

extension UnsignedValues {
  /// The values of a copy whose body cannot be read.
  fileprivate static var allUnreadable: Self {
    var values = Self()
    for field in UnsignedField.allCases { values[field] = unreadable }
    return values
  }
}
