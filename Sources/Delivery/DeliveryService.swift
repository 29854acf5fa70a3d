internal import HTTPClient
internal import Base
internal import DurableFiles
internal import Glibc
internal import Ledger
internal import PostbackServer
internal import PostbackService
internal import Signatures
internal import Spool
internal import Tables

/// Delivers the committed postbacks of an output to partners: plans what is new, sends what is due, and follows the output.
package final class DeliveryService {
  private var settings: DeliverySettings
  private let outbox: Outbox
  private let planner: Planner
  private let sender: Sender
  private let signals: UnixSignals
  private let lock: LockFile
  /// The number of the last commit whose rows were planned.
  private var planned: Int64?
  private var metricsAt: Int64 = 0
  private var tableAt: Int64 = 0
  private var prunedAt: Int64 = 0
  private var commitLookAt: Int64 = 0
  private var settlementLookAt: Int64 = 0
  /// The last settlement, with a commit that has all of its rows; nil if there is none.
  private var settlement: (name: String, commit: Int64?)?
  private let startedAt = clock()
  /// The number of postbacks by partner that a filter left out when they were planned, and that a settlement has added.
  private var takenUp: [String: [PartnerFilter: Int64]] = [:]
  /// The settlement that the deliveries of a partner were last compared with, by the id of the partner.
  private var compared: [String: String] = [:]

  private static let lockName = "deliver.lock"
  /// The intervals of looks for commits and settlements, of metrics, of the table and of the removal of old deliveries, in milliseconds.
  private static let commitInterval: Int64 = 200
  private static let settlementInterval: Int64 = 1000
  private static let metricsInterval: Int64 = 1000
  private static let tableInterval: Int64 = 300_000
  private static let pruneInterval: Int64 = 86_400_000
  /// The step by which a clock is set back without a word, in milliseconds.
  private static let clockStep: Int64 = 1000

  /// Locks the outbox of the output.
  ///
  /// - Throws: ``DeliveryFailure``, of the kind `.locked` if another process delivers the output.
  package init(_ settings: DeliverySettings) throws(DeliveryFailure) {
    self.settings = settings
    do throws(FileFailure) {
      lock = try Self.lock(settings.state)
      try settings.check()
      outbox = try Outbox.open(settings)
      signals = try UnixSignals()
    } catch {
      throw .file(error)
    }
    do throws(LibcryptoFailure) {
      planner = try Planner(settings.output, state: settings.state, outbox, settings.lookups)
    } catch {
      throw .libcrypto(error)
    }
    let transport: CurlTransport
    do throws(TransportFailure) { transport = try CurlTransport(interrupt: signals.readEnd) } catch {
      throw .transport(error)
    }
    sender = Sender(settings.partners, outbox, transport)
  }

  static func lock(_ state: String) throws(FileFailure) -> LockFile {
    guard Ledger.isThere(state) else {
      throw FileFailure(
        .notFound,
        state,
        "There is no state in this directory",
        advice: "Name the state of the tables with --state"
      )
    }
    return try LockFile("\(state)/\(lockName)") { holder in
      FileFailure(
        .locked,
        state,
        "The deliveries of this output are sent by \(holder)",
        advice: "Wait for it to end, or stop it"
      )
    }
  }

  static func clock() -> Int64 { Timestamp.now.milliseconds }

  /// Delivers until it is asked to end, or as the settings say. Returns the numbers of deliveries by partner.
  ///
  /// - Throws: ``DeliveryFailure`` if a file, libcrypto or libcurl fails; the answers of partners are results.
  package func run() async throws(DeliveryFailure) -> DeliverySummary {
    for id in outbox.counts.keys.sorted() where !settings.partners.all.contains(where: { $0.id == id }) {
      guard let count = outbox.counts[id]?[.pending], count > 0 else { continue }
      settings.log.warning("unknown_partner", "\(count) deliveries wait for the partner \(id), which is not configured")
    }
    try DeliveryFailure.file { () throws(FileFailure) in
      try noteFilters(at: Self.clock())
      if settings.replans { try outbox.rewind(settings.partners.all.map(\.id), to: settings.state) }
      compared = try outbox.comparedSettlements()
      settings.log.info("delivering", "the postbacks of \(settings.output)")
      try register(isLast: false)
    }
    tableAt = Self.clock()
    var isEnding = false
    var last = Int64.max
    while !isEnding {
      let now = Self.clock()
      // At the start, and where the clock was set back.
      if now < last - Self.clockStep {
        limitTimes(at: now)
        try DeliveryFailure.file { () throws(FileFailure) in try limitWaits(at: now) }
      }
      last = now
      if let deadline = settings.deadline, now >= deadline.milliseconds { break }
      for signal in signals.pending() {
        if signal.asksToEnd { isEnding = true } else { try reload(at: now) }
      }
      if isEnding { break }
      try await plan(at: now)
      try restate(at: now)
      try correctRestated(at: now)
      try sender.fill(at: now, holding: isHeld)
      if settings.endsWhenDone, try DeliveryFailure.file({ () throws(FileFailure) in try isDone() }) { break }
      let limit = min(now + Self.commitInterval, settings.deadline?.milliseconds ?? .max)
      try sender.wait(at: now, until: planner.isDone ? limit : now, clock: Self.clock)
      try DeliveryFailure.file { () throws(FileFailure) in try report(at: Self.clock()) }
    }
    if isEnding { settings.log.info("stopping", "a signal asks to end; requests in progress are finished") }
    try sender.drain(clock: Self.clock)
    return try DeliveryFailure.file { () throws(FileFailure) in
      try register(isLast: true)
      try outbox.writeTable(settings.encoding, in: settings.target)
      try writeMetrics(at: Self.clock())
      settings.log.info("stopped", "all results are recorded")
      let leftOut = planner.leftOut.merging(takenUp) { $0.merging($1) { max($0 - $1, 0) } }
      return try outbox.summary(of: sender.queues.map(\.partner.id), leftOut: leftOut)
    }
  }

  /// Plans a batch of new rows, if there are some.
  private func plan(at now: Int64) async throws(DeliveryFailure) {
    if planner.isDone {
      guard now >= commitLookAt else { return }
      commitLookAt = now + Self.commitInterval
      do throws(FileFailure) {
        let commit = try Ledger.lastCommit(settings.state)
        guard commit != planned || planned == nil else { return }
        try await planner.begin(settings.partners.all)
        planned = commit ?? planned
      } catch {
        throw .file(error)
      }
    }
    let before = planner.isDone
    try await planner.planBatch(at: now)
    if !before { sender.wake() }
    if let future = planner.takeFuture() {
      settings.log.warning(
        "received_in_future",
        "\(future.count) deliveries are of postbacks that were received in the future, such as \(future.postback) at "
          + "\(Timestamp(milliseconds: future.receivedAt)). They are due as if they had been received now. Check the clock of "
          + "the receiver, and --received-at-field."
      )
    }
    for (table, rows) in planner.takeMissed() where rows.count > 0 {
      settings.log.warning(
        "rows_missed",
        "\(rows.text) of \(table) were removed because of their age before they were planned, and are not delivered",
        ["table": .text(table), "rows": .integer(rows.count)]
      )
    }
    if planner.isDone { try DeliveryFailure.file { () throws(FileFailure) in try register(isLast: false) } }
  }

  /// Tells of partners whose filters were changed after rows were planned for them.
  private func noteFilters(at now: Int64) throws(FileFailure) {
    for id in try outbox.noteFilters(of: settings.partners.all, at: now) where !settings.replans {
      settings.log.warning(
        "filters_changed",
        "The filters of \(id) have changed. Give --replan once to send what they left out before; without it, only what nulls "
          + "and minimum_trust left out is looked at again, after the next settle"
      )
    }
  }

  /// Shortens the waits that no setting explains: those of deliveries that were planned or tried under a clock that was
  /// ahead, or while a partner had longer times.
  private func limitWaits(at now: Int64) throws(FileFailure) {
    for partner in settings.partners.all {
      let count = try outbox.limitWaits(
        of: partner.id,
        first: now + partner.hold,
        again: now + partner.retry.longestDelay
      )
      if count > 0 { settings.log.warning("waits_shortened", "\(count) deliveries to \(partner.id) waited too long") }
    }
    sender.wake()
  }

  /// Brings back to now the times that a clock which was ahead has left in the future.
  private func limitTimes(at now: Int64) {
    (commitLookAt, settlementLookAt) = (min(commitLookAt, now), min(settlementLookAt, now))
    (metricsAt, tableAt, prunedAt) = (min(metricsAt, now), min(tableAt, now), min(prunedAt, now))
    sender.limitTimes(at: now)
  }

  /// Notes in the state how far the rows are planned for each partner.
  private func register(isLast: Bool) throws(FileFailure) {
    for partner in settings.partners.all {
      let name = "deliver \(partner.id)"
      guard partner.isEnabled else {
        registrations[name] = nil
        _ = try Follower.remove(name, from: settings.state)
        continue
      }
      let (postbacks, events) = try outbox.positions(of: partner.id)
      var registration = registrations[name] ?? FollowerRegistration(name, .partner, in: settings.state)
      let positions = [postbacks ?? TableCursor(startOf: .postbacks), events ?? TableCursor(startOf: .events)]
      try registration.note(positions, isLast: isLast)
      registrations[name] = registration
    }
  }

  private var registrations: [String: FollowerRegistration] = [:]

  /// Compares the deliveries with the last settlement, if those of a partner were not compared with it yet.
  private func restate(at now: Int64) throws(DeliveryFailure) {
    if now >= settlementLookAt {
      settlementLookAt = now + Self.settlementInterval
      let found = SettlementCorrections.current(in: settings.output)
      if found != settlement?.name {
        // Read after the settlement, whose rows were committed before it.
        let commit = try DeliveryFailure.file { () throws(FileFailure) in try Ledger.lastCommit(settings.state) }
        settlement = found.map { ($0, commit) }
      }
    }
    guard planner.isDone, let (name, commit) = settlement,
      settings.partners.all.contains(where: { $0.isEnabled && compared[$0.id] != name })
    else { return }
    // Else its rows would be planned after the comparison, with the values of their first copies.
    guard planned ?? 0 >= commit ?? 0 else { return commitLookAt = 0 }
    try sender.drain(clock: Self.clock)
    sender.unload()
    let corrections = try SettlementCorrections(settings.output, outbox, settings.partners, startedAt: startedAt)
    try corrections.run(name, at: now)
    takenUp.merge(corrections.takenUp) { $0.merging($1, uniquingKeysWith: +) }
    compared = try DeliveryFailure.file { () throws(FileFailure) in try outbox.comparedSettlements() }
    sender.wake()
  }

  /// Corrects what was delivered with values that a settlement had replaced meanwhile.
  private func correctRestated(at now: Int64) throws(DeliveryFailure) {
    let restated = try DeliveryFailure.file { () throws(FileFailure) in try outbox.restated() }
    guard !restated.isEmpty else { return }
    try SettlementCorrections(settings.output, outbox, settings.partners).correct(restated, at: now)
    sender.wake()
  }

  /// Indicates that deliveries to a partner may have values that the settlement has replaced: rows are still planned, or the
  /// comparison is yet to come.
  private func isHeld(_ partner: String) -> Bool {
    planner.isPlanning(for: partner) || settlement != nil && compared[partner] != settlement?.name
  }

  /// Tells if all rows are planned and nothing is pending for the partners, or is due only after the deadline.
  private func isDone() throws(FileFailure) -> Bool {
    guard planner.isDone, planned != nil, sender.inFlightCount == 0 else { return false }
    for queue in sender.queues where queue.partner.isEnabled {
      guard queue.outcomeCount == 0 else { return false }
      guard outbox.counts[queue.partner.id]?[.pending] ?? 0 > 0 else { continue }
      guard let end = settings.deadline?.milliseconds else { return false }
      for again in [false, true] {
        guard try outbox.due(of: queue.partner.id, again: again, at: end, limit: 1).isEmpty else { return false }
      }
    }
    return true
  }

  private func reload(at now: Int64) throws(DeliveryFailure) {
    do throws(PartnersErrors) {
      let partners = try settings.load()
      do throws(FileFailure) {
        var changed = settings
        changed.partners = partners
        try changed.check()
        settings = changed
      } catch {
        return settings.log.error("reload_failed", "\(error) The partners stay as they are.")
      }
    } catch {
      let problems = error.problems.joined(separator: "; ")
      return settings.log.error("reload_failed", "\(problems) The partners stay as they are.")
    }
    try sender.drain(clock: Self.clock)
    try DeliveryFailure.file { () throws(FileFailure) in
      try sender.use(settings.partners)
      // The rows that are left are planned for the new partners.
      try planner.stop()
      try noteFilters(at: now)
      try limitWaits(at: Self.clock())
    }
    planned = nil
    commitLookAt = 0
    settings.log.info("reloaded", "the partners were read again")
  }

  private func report(at now: Int64) throws(FileFailure) {
    if now - metricsAt >= Self.metricsInterval { try writeMetrics(at: now) }
    if now - tableAt >= Self.tableInterval {
      try outbox.writeTable(settings.encoding, in: settings.target)
      tableAt = now
    }
    if now - prunedAt >= Self.pruneInterval {
      try outbox.prune(at: now)
      prunedAt = now
    }
  }

  private func writeMetrics(at now: Int64) throws(FileFailure) {
    metricsAt = now
    guard settings.metricsFile != nil else { return }
    let goesOn = !settings.endsWhenDone && settings.deadline == nil
    let text = try outbox.exposition(sender.queues, leftOut: planner.leftOut, at: now, hasHeartbeat: goesOn)
    let log = settings.log
    settings.metricsFile?.replace(with: text, log)
  }
}
