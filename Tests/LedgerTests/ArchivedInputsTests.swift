@testable import DurableFiles
@testable import Ledger
import TestSupport
import Testing

@Suite struct `The log of inputs that were put away` {
  private func inputs(_ ids: Range<UInt32>) -> [LedgerInput] {
    ids.map { id in
      LedgerInput(
        id: id,
        path: id % 5 == 4 ? "/elsewhere/\(id)" : "/spool/new/\(id)",
        records: Int64(id % 3),
        digest: UInt128(id + 1) << 80,
        phase: id % 7 == 6 ? .partial : .complete,
        firstDigest: id % 2 == 0 ? UInt128(id + 1) << 70 : 0
      )
    }
  }

  private func site(_ count: UInt32) throws -> StateSite {
    let site = try StateSite()
    var commit = LedgerCommit(time: 1_700_000_000_000)
    commit.inputs = inputs(0..<count)
    try site.ledger().commit(commit)
    return site
  }

  private func isDropped(_ input: LedgerInput, of count: UInt32, keeping kept: UInt32) -> Bool {
    input.id + kept < count && input.phase == .complete && input.path.hasPrefix("/spool/new/")
  }

  private func check(_ site: StateSite, _ count: UInt32, keeping kept: UInt32) throws {
    let ledger = try site.ledger()
    let log = try ArchivedInputs(ledger)
    for input in inputs(0..<count) {
      let isDropped = isDropped(input, of: count, keeping: kept)
      #expect(try (ledger.input(path: input.path) == nil) == isDropped)
      if isDropped, input.records > 0 {
        #expect(log.contains(input.digest))
        #expect(input.firstDigest == 0 || log.contains(input.firstDigest))
      }
    }
    #expect(!log.contains(1 << 60))
    #expect(try ledger.nextInputID() == count)
  }

  @Test(arguments: [(0, 0), (50, 100), (300, 100), (5000, 10)] as [(UInt32, UInt32)])
  func `takes over complete inputs of a folder, and keeps the newest in the ledger`(
    _ count: UInt32,
    _ kept: UInt32
  ) throws {
    let site = try site(count)
    do {
      let log = try ArchivedInputs(try site.ledger())
      for _ in 1...2 { try log.dropRows(withPrefix: "/spool/new/", keeping: Int(kept)) }
    }
    try check(site, count, keeping: kept)
    let dropped = inputs(0..<count).filter { isDropped($0, of: count, keeping: kept) }.count
    let reading = try Ledger.reading(site.state)
    #expect(reading.state.putAway.inputs == Int64(dropped))
    #expect(reading.inputs.values.reduce(0, +) == Int64(count))
    try ArchivedInputs.verify(reading.state.putAway, in: DurableFolder(site.state))
  }

  @Test func `does not give the number of a dropped input again`() throws {
    let site = try site(3)
    try ArchivedInputs(try site.ledger()).dropRows(withPrefix: "/", keeping: 0)
    #expect(try site.ledger().nextInputID() == 3)
  }

  @Test func `ignores entries that were not committed`() throws {
    let site = try site(400)
    let ledger = try site.ledger()
    let log = try ArchivedInputs(ledger)
    try log.dropRows(withPrefix: "/spool/new/", keeping: 200)
    let before = try site.bytes("state/\(ArchivedInputs.name)")
    let crashed = try site.crashed()
    try crashed.change("state/\(ArchivedInputs.name)") { $0 += [UInt8](repeating: 9, count: 100) }
    try check(crashed, 400, keeping: 200)
    #expect(try crashed.bytes("state/\(ArchivedInputs.name)") == before)
  }

  @Test func `is refused if it is damaged or missing`() throws {
    let site = try site(100)
    try ArchivedInputs(try site.ledger()).dropRows(withPrefix: "/spool/new/", keeping: 10)
    let extent = try Ledger.reading(site.state).state.putAway
    try site.change("state/\(ArchivedInputs.name)") { $0[200] ^= 4 }
    #expect(stateFailure { try ArchivedInputs(try site.ledger()) }?.kind == .damaged)
    #expect(stateFailure { try ArchivedInputs.verify(extent, in: DurableFolder(site.state)) }?.kind == .damaged)
    try site.remove("state/\(ArchivedInputs.name)")
    #expect(stateFailure { try ArchivedInputs(try site.ledger()) }?.kind == .damaged)
    #expect(stateFailure { try ArchivedInputs.verify(extent, in: DurableFolder(site.state)) }?.kind == .damaged)
  }
}
