internal import DurableFiles
internal import Ledger
internal import LookupTables
internal import PostbackVerification
internal import Signatures
internal import Tables

/// Plans deliveries of committed rows: reads the tables of a run from the position of each partner on.
final class Planner {
  private let output: String
  private let state: String
  private let outbox: Outbox
  private let lookups: Lookups
  private let columns = AcceptedColumns()
  private var hash: SHA256

  /// The partners with the same positions, with the reading of the tables from there on. Both feeds end with the same
  /// commit.
  private struct Reading {
    let partners: [Partner]
    var postbacks: Rows
    var events: Rows
    /// The events of these postbacks.
    var staged: StagedEvents
    /// The position of the events while the pass is not complete.
    let firstEvent: TableCursor?
  }

  /// A feed of a table whose first batch was read, which fixes the rows that it ends with.
  private struct Rows {
    private var iterator: TableFeed.Iterator
    private var first: TableFeed.Element?
    /// The position behind the rows that were read.
    private(set) var position: TableCursor?

    init(_ feed: TableFeed, after position: TableCursor?) async throws(FileFailure) {
      iterator = feed.makeAsyncIterator()
      first = try await iterator.next()
      self.position = position
    }

    /// Returns the next batch; nil after the last one.
    mutating func next() async throws(FileFailure) -> (element: TableFeed.Element?, isChanged: Bool) {
      let isFirst = first != nil
      let element = if let first { first } else { try await iterator.next() }
      first = nil
      let isChanged = !isFirst && element.map { $0.cursor.generation != position?.generation } ?? false
      if !isChanged { position = element?.cursor ?? position }
      return (element, isChanged)
    }
  }

  /// The next rows of a reading.
  private enum Batch {
    case events([EventRow])
    case postbacks([AcceptedPostback])
    /// All rows are planned.
    case end
    /// Rows were removed from the tables, so that the feeds may end with different commits.
    case changed
  }

  /// The number of deliveries that were planned of postbacks with a time of receipt in the future, and the first of these
  /// postbacks; nil if there are none.
  private(set) var future: (count: Int, postback: PostbackKey, receivedAt: Int64)?

  /// The time by which another machine's clock may be ahead without a word, in milliseconds.
  private static let clockTolerance: Int64 = 60_000

  /// The number of postbacks that the filters of a partner have left out, by its id.
  private(set) var leftOut: [String: [PartnerFilter: Int64]] = [:]

  private var readings: [Reading] = []
  private var stagings: Int64 = 0
  /// The rows that were removed before they were planned, since this was last asked for.
  private var missed: [String: UnreadRows] = [:]

  /// Returns the rows that were removed before they were planned, by table, and forgets them.
  func takeMissed() -> [String: UnreadRows] {
    defer { missed = [:] }
    return missed
  }

  init(_ output: String, state: String, _ outbox: Outbox, _ lookups: Lookups) throws(LibcryptoFailure) {
    (self.output, self.state, self.outbox, self.lookups) = (output, state, outbox, lookups)
    hash = try SHA256()
  }

  /// Begins to read the rows that are committed now.
  func begin(_ partners: [Partner]) async throws(FileFailure) {
    var groups: [(positions: (postbacks: TableCursor?, events: TableCursor?), partners: [Partner])] = []
    for partner in partners where partner.isEnabled {
      let positions = try outbox.positions(of: partner.id)
      if let place = groups.firstIndex(where: { $0.positions == positions }) {
        groups[place].partners.append(partner)
      } else {
        groups.append((positions, [partner]))
      }
    }
    readings = []
    for group in groups { readings.append(try await reading(group.partners, group.positions)) }
  }

  /// Stops before all rows are planned. The next `begin` continues at the positions in the outbox.
  func stop() throws(FileFailure) {
    for reading in readings { try reading.staged.drop() }
    readings = []
  }

  private func reading(
    _ partners: [Partner],
    _ positions: (postbacks: TableCursor?, events: TableCursor?)
  ) async throws(FileFailure) -> Reading {
    while true {
      stagings += 1
      let commit = try Ledger.lastCommit(state)
      let reading = Reading(
        partners: partners,
        postbacks: try await rows(of: .postbacks, after: positions.postbacks),
        events: try await rows(of: .events, after: positions.events),
        staged: StagedEvents(number: stagings, outbox),
        firstEvent: positions.events
      )
      // An event is committed together with its postback.
      if try Ledger.lastCommit(state) == commit { return reading }
    }
  }

  private func rows(of table: Table, after position: TableCursor?) async throws(FileFailure) -> Rows {
    var feed = TableFeed(table, in: output, state: state, after: position)
    feed.advice = """
      Give deliver --once --replan, with --dry-run first: rows are planned again from the first one, or from 89 days ago, and what \
      was sent is not sent again. With the deliver.sqlite of the same backup instead, all that was sent after it is sent once more, \
      with the same ids
      """
    return try await Rows(feed, after: position)
  }

  /// Indicates that all rows that were committed at `begin` are planned.
  var isDone: Bool { readings.isEmpty }

  /// Indicates that rows are still to be planned for a partner.
  func isPlanning(for partner: String) -> Bool {
    readings.contains { $0.partners.contains { $0.id == partner } }
  }

  /// Plans one batch of rows, in one transaction.
  func planBatch(at now: Int64) async throws(DeliveryFailure) {
    guard var reading = readings.popLast() else { return }
    let batch: Batch
    do throws(FileFailure) { batch = try await next(of: &reading) } catch { throw .file(error) }
    let deliveries = try DeliveryFailure.libcrypto { () throws(LibcryptoFailure) in
      try plan(batch, for: reading.partners, at: now)
    }
    do throws(FileFailure) {
      if case .changed = batch {
        try reading.staged.drop()
        let positions = try outbox.positions(of: reading.partners[0].id)
        return readings.append(try await self.reading(reading.partners, positions))
      }
      try outbox.transaction { () throws(FileFailure) in try write(batch, deliveries, of: &reading, at: now) }
    } catch {
      throw .file(error)
    }
    if case .end = batch { return }
    readings.append(reading)
  }

  /// Reads the next batch: all events first, since those of a postback may be anywhere among them: parts of either table may
  /// have been removed, and days may have parts of their own.
  private func next(of reading: inout Reading) async throws(FileFailure) -> Batch {
    let events = try await reading.events.next()
    guard !events.isChanged else { return .changed }
    if let element = events.element {
      missed[Table.events.name, default: UnreadRows()] += element.missed
      guard reading.partners.contains(where: { $0.kinds.contains(.event) }) else { return .events([]) }
      return .events(EventRow.read(element.rows, of: .events))
    }
    let postbacks = try await reading.postbacks.next()
    guard !postbacks.isChanged else { return .changed }
    guard let element = postbacks.element else { return .end }
    missed[Table.postbacks.name, default: UnreadRows()] += element.missed
    var rows = RowCursor(element.rows, of: .postbacks)
    var found: [AcceptedPostback] = []
    while rows.next() {
      guard var postback = AcceptedPostback(rows, columns, lookups) else { continue }
      if postback.values[.decodeStatus] == .text("decoded") {
        postback.events = try reading.staged.events(of: postback.key)
      }
      found.append(postback)
    }
    return .postbacks(found)
  }

  /// The deliveries of a batch, and those that await events of a settlement.
  private func plan(_ batch: Batch, for partners: [Partner], at now: Int64) throws(LibcryptoFailure)
    -> (planned: [PlannedDelivery], awaited: [PlannedDelivery])
  {
    var (planned, awaited): ([PlannedDelivery], [PlannedDelivery]) = ([], [])
    guard case .postbacks(let postbacks) = batch else { return ([], []) }
    for postback in postbacks {
      for partner in partners {
        if let filter = postback.omission(by: partner) { leftOut[partner.id, default: [:]][filter, default: 0] += 1 }
        let deliveries = try postback.deliveries(to: partner, at: now, &hash)
        planned += deliveries
        if deliveries.isEmpty, let one = try postback.awaited(by: partner, at: now, &hash) { awaited.append(one) }
      }
    }
    return (planned, awaited)
  }

  /// Writes a batch and its deliveries into the outbox, within a transaction.
  private func write(
    _ batch: Batch,
    _ deliveries: (planned: [PlannedDelivery], awaited: [PlannedDelivery]),
    of reading: inout Reading,
    at now: Int64
  ) throws(FileFailure) {
    switch batch {
    case .events(let events): try reading.staged.add(events)
    case .postbacks:
      for delivery in deliveries.planned where try outbox.add(delivery, at: now) { note(delivery, at: now) }
      for one in deliveries.awaited { try outbox.note(awaited: one, at: now) }
      try setPositions(reading, reading.firstEvent)
    case .end:
      try reading.staged.drop()
      try setPositions(reading, reading.events.position)
      guard let postbacks = reading.postbacks.position else { return }
      for partner in reading.partners {
        try outbox.noteEarlier(partner.id, postbacks, reading.events.position, at: now)
      }
    case .changed: break
    }
  }

  private func note(_ delivery: PlannedDelivery, at now: Int64) {
    guard let time = delivery.receivedAt, time - now > Self.clockTolerance else { return }
    future = ((future?.count ?? 0) + 1, future?.postback ?? delivery.postback, future?.receivedAt ?? time)
  }

  /// Returns `future`, and begins it anew.
  func takeFuture() -> (count: Int, postback: PostbackKey, receivedAt: Int64)? {
    defer { future = nil }
    return future
  }

  private func setPositions(_ reading: Reading, _ events: TableCursor?) throws(FileFailure) {
    guard let postbacks = reading.postbacks.position else { return }
    for partner in reading.partners { try outbox.setPositions(of: partner.id, postbacks, events) }
  }
}
