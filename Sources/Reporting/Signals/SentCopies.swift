internal import Analysis
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import Tables

/// A rejected copy of an accepted postback.
struct SentCopy: Sendable {
  let key: UInt128
  /// The time of receipt; the least number if it is not known.
  let time: Int64
  /// The number of its forwarder in `SentCopies.forwarders`; -1 for none.
  var forwarder: Int32
  /// Indicates that its unsigned values differ from those of the first copy.
  let isConflict: Bool
}

/// The rejected copies of all postbacks, sorted by the postback, and the rates that follow from rejects alone.
struct SentCopies: Sendable {
  private(set) var copies: [SentCopy] = []
  private(set) var forwarders: [String] = []
  private var numbers: [String: Int32] = [:]
  private(set) var rates = SignalRates()
  /// The number of copies that are left out, because there are too many.
  private(set) var unfollowed = 0
  private(set) var unreadable = UnreadableRows()

  private static let largestCount = 1_000_000

  mutating func merge(_ later: SentCopies) {
    for var copy in later.copies {
      guard copies.count < Self.largestCount else {
        unfollowed += 1
        continue
      }
      if copy.forwarder >= 0 { copy.forwarder = number(of: later.forwarders[Int(copy.forwarder)]) }
      copies.append(copy)
    }
    unfollowed += later.unfollowed
    rates += later.rates
    unreadable += later.unreadable
  }

  mutating func sort() { copies.sort { ($0.key, $0.time) < ($1.key, $1.time) } }

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

  /// Reads a batch of rows of `skan_rejects`.
  init(_ batch: RawBatch, _ filter: RowFilter) {
    let (code, key) = (Table.rejects.place(.rejectCode), Table.rejects.place(.firstSeenPostbackKey))
    let (sender, received) = (Table.rejects.place(.forwarder), Table.rejects.place(.receivedAt))
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard filter.matches(row), let code = row.text(code).flatMap(RejectCode.init) else { continue }
      let (forwarder, time) = (row.text(sender), row.time(received))
      rates.add(.invalidSignatures, .forwarder, forwarder, code == .signatureInvalid, at: time)
      rates.add(.reusedTransactions, .forwarder, forwarder, code == .duplicateTransaction, at: time)
      guard code == .duplicateIdentical || code == .duplicateConflict, let key = row.key(key) else { continue }
      copies.append(
        SentCopy(
          key: UInt128(key),
          time: time ?? .min,
          forwarder: number(of: forwarder),
          isConflict: code == .duplicateConflict
        )
      )
    }
    unreadable = row.unreadable
  }

  /// Calls `body` with the copies of a postback, in the order of their receipt.
  func forEach(_ key: UInt128, _ body: (SentCopy) -> Void) {
    var (low, high) = (0, copies.count)
    while low < high {
      let middle = (low + high) / 2
      if copies[middle].key < key { low = middle + 1 } else { high = middle }
    }
    while low < copies.count, copies[low].key == key {
      body(copies[low])
      low += 1
    }
  }
}
