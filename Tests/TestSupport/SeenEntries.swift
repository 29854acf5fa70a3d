internal import PostbackVerification

package import Ledger

/// Entries for numbers; equal numbers give equal entries.
package func seenEntries(_ numbers: Range<Int>) -> [SeenEntry] {
  numbers.map { number in
    let key = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    let seen = RecentIndex.Seen(
      key: PostbackKey(high: key, low: ~key),
      content: SortedSegment.Content(
        digest: UInt32(truncatingIfNeeded: key >> 7),
        unsigned: UInt32(number % 1000),
        resend: number % 3 == 0 ? nil : key ^ 0x55
      ),
      number: number % 10 == 0 ? Int64(number) : nil
    )
    return SeenEntry(
      seen,
      inputID: UInt32(number % 7),
      seenAt: UInt32(1_000_000 + number),
      line: number % 3 == 0 ? UInt64(number) : 0
    )
  }
}

extension LedgerCommit {
  /// A commit of the current end of `seen.log`.
  package init(of log: SeenLog) {
    self.init(time: 1)
    seen = log.mark
  }
}
