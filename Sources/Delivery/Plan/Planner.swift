internal import DurableFiles
internal import PostbackVerification
internal import Reporting
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

  /// The partners with the same position, with the reading of the tables from there on.
  private struct Reading {
    let partners: [Partner]
    var postbacks: TableFeed.Iterator
    var events: TableFeed.Iterator
    /// The events that were read and whose postback was not.
    var ahead: ArraySlice<EventRow> = []
    /// The position before the first event that was not planned.
    var eventPosition: TableCursor?
    /// The position behind the events that were read.
    var lastEnd: TableCursor?
    var eventsAreRead = false
  }

  private var readings: [Reading] = []

  init(_ output: String, state: String, _ outbox: Outbox, _ lookups: Lookups) throws(LibcryptoFailure) {
    (self.output, self.state, self.outbox, self.lookups) = (output, state, outbox, lookups)
    hash = try SHA256()
  }

  /// Begins to read the rows that are committed now.
  func begin(_ partners: [Partner]) throws(FileFailure) {
    var groups: [(positions: (TableCursor?, TableCursor?), partners: [Partner])] = []
    for partner in partners where partner.isEnabled {
      let positions = try outbox.positions(of: partner.id)
      if let place = groups.firstIndex(where: { $0.positions == positions }) {
        groups[place].partners.append(partner)
      } else {
        groups.append(((positions.postbacks, positions.events), [partner]))
      }
    }
    readings = groups.map { group in
      Reading(
        partners: group.partners,
        postbacks: TableFeed(.postbacks, in: output, state: state, after: group.positions.0).makeAsyncIterator(),
        events: TableFeed(.events, in: output, state: state, after: group.positions.1).makeAsyncIterator(),
        eventPosition: group.positions.1
      )
    }
  }

  /// Indicates that all rows that were committed at `begin` are planned.
  var isDone: Bool { readings.isEmpty }

  /// Plans one batch of rows, in one transaction unless `inTransaction` says that there is one already.
  func planBatch(at now: Int64, inTransaction: Bool = false) async throws {
    guard var reading = readings.popLast() else { return }
    // The postbacks are read first, so that the events of all of them are committed when they are read.
    guard let element = try await reading.postbacks.next() else { return }
    var rows = RowCursor(element.rows, of: .postbacks)
    var planned: [PlannedDelivery] = []
    while rows.next() {
      guard var postback = AcceptedPostback(rows, columns, lookups) else { continue }
      if postback.values[.decodeStatus] == .text("decoded") {
        postback.events = try await Self.events(of: postback.key, &reading)
      }
      for partner in reading.partners {
        planned += try postback.deliveries(to: partner, at: now, &hash)
      }
    }
    func write() throws(FileFailure) {
      for delivery in planned { try outbox.add(delivery, at: now) }
      for partner in reading.partners {
        try outbox.setPositions(of: partner.id, element.cursor, reading.eventPosition)
      }
    }
    if inTransaction { try write() } else { try outbox.transaction(write) }
    readings.append(reading)
  }

  /// Takes the events of a postback, which follow in the order of the postbacks.
  private static func events(of key: PostbackKey, _ reading: inout Reading) async throws -> [EventRow] {
    var found: [EventRow] = []
    while true {
      if reading.ahead.isEmpty {
        guard !reading.eventsAreRead, let element = try await reading.events.next() else {
          reading.eventsAreRead = true
          return found
        }
        reading.ahead = EventRow.read(element.rows, of: .events, endingAt: element.cursor)[...]
        reading.eventPosition = reading.ahead.first?.position ?? element.cursor
        reading.lastEnd = element.cursor
        continue
      }
      guard reading.ahead.first?.key == key, let event = reading.ahead.popFirst() else { return found }
      found.append(event)
      reading.eventPosition = reading.ahead.first?.position ?? reading.lastEnd
    }
  }
}
