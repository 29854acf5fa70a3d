internal import Base
internal import Ledger
internal import DurableFiles

/// The forgetting of old ids while a consumer runs: some at a time, and all of them about once a minute.
struct Forgetting {
  /// The age from which ids are forgotten; nil if all are kept.
  let age: Duration?
  /// The time from which old ids are looked for again; nil until they were once.
  private var due: ContinuousClock.Instant?
  /// The reason why old ids are not forgotten; nil if they are.
  private(set) var refusal: RemovalRefusal?

  init(age: Duration?) { self.age = age }

  /// Forgets some ids if that is due.
  mutating func run(_ log: SeenLog, _ catalog: InputCatalog, in ledger: Ledger) throws(FileFailure) {
    guard let age, due.map({ .now >= $0 }) ?? true else { return }
    let now = Timestamp.now.milliseconds
    let before = now - Int64(age / .milliseconds(1))
    let (seconds, today) = (UInt32(clamping: before / 1000), UInt32(clamping: now / 1000))
    due = .now + .seconds(60)
    refusal = try ledger.refusal(.ids, before: before, now: now) { () throws(FileFailure) in
      try log.share(before: seconds, of: ledger)
    }
    guard refusal == nil else { return }
    try catalog.forgetContent(before: seconds)
    if try log.forget(before: seconds, now: today, in: ledger) > 0 {
      due = .now + .seconds(1)
    } else {
      try ledger.recordRemoval(.ids, before: before)
    }
  }
}
