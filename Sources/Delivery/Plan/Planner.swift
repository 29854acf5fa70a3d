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

    /// Returns the next batch; nil after the last one. Throws `.changed` if rows were removed meanwhile.
    mutating func next() async throws -> TableFeed.Element? {
      let isFirst = first != nil
      let element = if let first { first } else { try await iterator.next() }
      first = nil
      if !isFirst, let element, element.cursor.generation != position?.generation { throw Interruption.changed }
      position = element?.cursor ?? position
      return element
    }
  }

  /// The reason for which a pass is begun anew.
  private enum Interruption: Error {
    /// Rows were removed from the tables, so that the feeds may end with different commits.
    case changed
  }

  /// The number of deliveries that were planned of postbacks with a time of receipt in the future, and the first of these
  /// postbacks; nil if there are none.
  private(set) var future: (count: Int, postback: PostbackKey, receivedAt: Int64)?

  /// The time by which another machine's clock may be ahead without a word, in milliseconds.
  private static let clockTolerance: Int64 = 60_000

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
  func begin(_ partners: [Partner]) async throws {
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

  private func reading(
    _ partners: [Partner],
    _ positions: (postbacks: TableCursor?, events: TableCursor?)
  ) async throws -> Reading {
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
      Put back deliver.sqlite of the same backup, or give --replan: rows are planned again from where this output and the \
      deliveries agree, and no delivery that is known is sent again
      """
    return try await Rows(feed, after: position)
  }

  /// Indicates that all rows that were committed at `begin` are planned.
  var isDone: Bool { readings.isEmpty }

  /// Plans one batch of rows, in one transaction unless `inTransaction` says that there is one already.
  func planBatch(at now: Int64, inTransaction: Bool = false) async throws {
    guard var reading = readings.popLast() else { return }
    do {
      if try await planBatch(of: &reading, at: now, inTransaction) { readings.append(reading) }
    } catch Interruption.changed {
      try reading.staged.drop()
      let positions = try outbox.positions(of: reading.partners[0].id)
      readings.append(try await self.reading(reading.partners, positions))
    }
  }

  /// Stages a batch of events, or else plans a batch of postbacks. Returns false if there are no more of either.
  private func planBatch(of reading: inout Reading, at now: Int64, _ inTransaction: Bool) async throws -> Bool {
    func write(_ body: () throws(FileFailure) -> Void) throws {
      if inTransaction { try body() } else { try outbox.transaction(body) }
    }
    // All events are staged first: those of a postback may be anywhere among them, because parts of either table may have
    // been removed, and days may have parts of their own.
    if let element = try await reading.events.next() {
      missed[Table.events.name, default: UnreadRows()] += element.missed
      guard reading.partners.contains(where: { $0.kinds.contains(.event) }) else { return true }
      let events = EventRow.read(element.rows, of: .events)
      try write { () throws(FileFailure) in try reading.staged.add(events) }
      return true
    }
    guard let element = try await reading.postbacks.next() else {
      try write { () throws(FileFailure) in
        try reading.staged.drop()
        try setPositions(reading, reading.events.position)
        guard let postbacks = reading.postbacks.position else { return }
        for partner in reading.partners {
          try outbox.noteEarlier(partner.id, postbacks, reading.events.position, at: now)
        }
      }
      return false
    }
    missed[Table.postbacks.name, default: UnreadRows()] += element.missed
    var rows = RowCursor(element.rows, of: .postbacks)
    var planned: [PlannedDelivery] = []
    var awaited: [PlannedDelivery] = []
    while rows.next() {
      guard var postback = AcceptedPostback(rows, columns, lookups) else { continue }
      if postback.values[.decodeStatus] == .text("decoded") {
        postback.events = try reading.staged.events(of: postback.key)
      }
      for partner in reading.partners {
        let deliveries = try postback.deliveries(to: partner, at: now, &hash)
        planned += deliveries
        if deliveries.isEmpty, let one = try postback.awaited(by: partner, at: now, &hash) { awaited.append(one) }
      }
    }
    try write { () throws(FileFailure) in
      for delivery in planned where try outbox.add(delivery, at: now) { note(delivery, at: now) }
      for one in awaited { try outbox.note(awaited: one, at: now) }
      try setPositions(reading, reading.firstEvent)
    }
    return true
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
