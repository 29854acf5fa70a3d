import DurableFiles
import Ledger
import LookupTables
import PostbackService
import Tables
import TestSupport
import Testing

@testable import Delivery

@Suite struct `Deliveries after a restore` {
  private let site: StateSite

  /// An output with a row.
  init() throws {
    site = try StateSite()
    try site.commit([(.postbacks, [[[.environment: "production"]]])])
  }

  private func path(_ name: String) -> String { "\(site.directory.path)/\(name)" }

  /// Copies a state to a folder as a backup does.
  private func backUp(_ state: String, to name: String) throws -> String {
    let folder = try DurableFolder(making: path(name))
    try Outbox.copy(from: state, to: folder.path)
    _ = try Ledger.copy(state, to: folder)
    return folder.path
  }

  private func open(_ state: String, replans: Bool = false, isTrial: Bool = false) throws -> Outbox {
    var settings = DeliverySettings(
      output: site.output,
      state: state,
      partners: Partners([try DeliverySite.partner("acme")]),
      load: { Partners([]) },
      lookups: try Lookups.none(),
      encoding: TableEncoding([.jsonLines]),
      target: site.output,
      log: Log(level: .error)
    )
    settings.replans = replans
    return try Outbox.open(settings, isTrial: isTrial)
  }

  private func expectRefusal(_ state: String, _ text: String) throws {
    for isTrial in [false, true] {
      let failure = stateFailure { try open(state, isTrial: isTrial) }
      #expect(failure?.kind == .incompatible && failure?.path == "\(state)/\(Outbox.name)")
      #expect(failure?.event.contains(text) ?? false, "\(failure?.event ?? "")")
      #expect(failure?.advice?.contains("--replan") ?? false)
    }
  }

  @Test func `from a backup without any wait until rows are planned again`() throws {
    _ = try open(site.state, isTrial: true)
    let state = try backUp(site.state, to: "backup")
    try expectRefusal(state, "The file is missing, and the state is that of a backup")
    #expect(try !Outbox.exists(in: state))
    _ = try open(state, replans: true, isTrial: true)
    #expect(try !Outbox.exists(in: state))
    do {
      let outbox = try open(state, replans: true)
      // Killed before it has planned.
      try expectRefusal(state, "of a backup of")
      try outbox.rewind(["acme"], to: state)
    }
    _ = try open(state)
    // The mark is in the ledger, which goes on.
    for suffix in ["", "-wal", "-shm"] { try DurableFolder(state).remove(Outbox.name + suffix) }
    try expectRefusal(state, "The file is missing, and the state is that of a backup")
    // A state that no backup has made has no mark.
    _ = try open(site.state)
    _ = try open(site.state)
  }

  @Test func `wait beside the state of a backup, also if they are newer`() throws {
    do { try open(site.state).noteRestore(of: site.state) }
    let state = try backUp(site.state, to: "backup")
    try expectRefusal(state, "of a backup of")
    try DurableFolder(state).remove(Outbox.name)
    try DurableFolder(site.state).copy(Outbox.name, to: "\(state)/\(Outbox.name)")
    try expectRefusal(state, "of a backup of")
    do { try open(state, replans: true).rewind(["acme"], to: state) }
    _ = try open(state)
    let next = try backUp(state, to: "next")
    try expectRefusal(next, "of a backup of")
    // Those of a backup beside the state itself.
    for suffix in ["", "-wal", "-shm"] { try DurableFolder(site.state).remove(Outbox.name + suffix) }
    try DurableFolder(next).copy(Outbox.name, to: "\(site.state)/\(Outbox.name)")
    try expectRefusal(site.state, "of a backup of")
  }
}
