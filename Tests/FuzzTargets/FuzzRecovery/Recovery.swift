@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import FoundationEssentials

@testable import PostbackPipeline

/// Opens a damaged state and compares it with the committed one.
final class Recovery: Sendable {
  static let shared = Recovery()

  private let site: Site
  private let trust: TrustPolicy
  private let seen: SeenMark
  private let parts: [LedgerPart]

  /// The numbers in a ledger.
  private static let columns = [
    "state.seed", "state.commits", "state.committed_at", "state.seen_entries", "state.seen_checksum",
    "state.retired_count", "state.pending_entries", "state.pending_checksum", "state.pending_count",
    "inputs.device", "inputs.inode", "inputs.stored_bytes", "inputs.records",
    "parts.length", "parts.checksum", "parts.rows", "counts.value",
  ]

  private init() {
    do {
      site = try Site()
      trust = try TrustPolicy.apple()
      _ = try site.restore(with: Damage([0, 1]))
      let ledger = try Ledger.reading(site.state)
      seen = ledger.seen
      parts = ledger.parts
    } catch {
      fatalError("\(error)")
    }
    require(seen.entries > 0, "something is committed")
    require(parts.contains { $0.phase == .open } && parts.contains { $0.phase == .complete }, "there are parts")
  }

  func run(_ damage: Damage) throws {
    let damaged = try site.restore(with: damage)
    let edit = damage.edit(of: Self.columns)
    if let edit { try apply(edit.column, edit.value) }
    // Of the ledger SQLite has no checksum: what a value is cannot be told from what it was.
    let isLedger = damaged.contains(Ledger.name) || edit != nil
    let isChecked = try check()
    if isChecked, !isLedger { try compare(parts) }
    guard try open() else { return }
    if !isLedger { try compare(parts.filter { $0.phase == .open }) }
    // And once more, with what the first left.
    require(try open(), "what was opened once is opened again")
  }

  private func apply(_ column: String, _ value: Int64) throws {
    let names = column.split(separator: ".")
    let database = try SQLiteDatabase("\(site.state)/\(Ledger.name)", .writing)
    do throws(FileFailure) { try database.execute("UPDATE \(names[0]) SET \(names[1]) = \(value)") } catch {
      // A ledger that is damaged too.
    }
  }

  /// Tells if a check finds no problem.
  private func check() throws -> Bool {
    do throws(FileFailure) {
      _ = try Ledger.reading(site.state)
      let problems = StateCheck(output: site.output, state: try StateFolder(existing: site.state)).problems
      return problems.isEmpty
    } catch {
      require(!error.reason.isEmpty, "a failure has a reason")
      return false
    }
  }

  /// Tells if a run could continue.
  private func open() throws -> Bool {
    do throws(FileFailure) {
      let state = try PipelineState(site.state, settings: site.options.settings)
      let tables = try TableWriter(site.options, state)
      _ = try state.ledger.counts()
      require(tables.seenCount == state.ledger.seen.entries, "the log is what the ledger says")
      // Nothing but a number is new, as in a run that finds nothing to do.
      var commit = LedgerCommit(time: 1)
      commit.increments = [.read: 1]
      try state.ledger.commit(commit)
      return true
    } catch {
      require(!error.reason.isEmpty, "a failure has a reason")
      return false
    }
  }

  /// Requires the committed content to be unchanged.
  private func compare(_ parts: [LedgerPart]) throws {
    let log = "state/\(SeenLog.name)"
    try compare(log, prefix: Int(SeenFile.headerCount + seen.entries * SeenEntry.byteCount), at: log)
    for part in parts {
      let folder = "out/\(part.table)"
      let name = site.files["\(folder)/\(part.name)"] == nil ? part.hiddenName : part.name
      let isHidden = FileManager.default.fileExists(atPath: "\(site.path)/\(folder)/\(part.hiddenName)")
      try compare(
        "\(folder)/\(name)",
        prefix: Int(part.length),
        at: "\(folder)/\(isHidden ? part.hiddenName : part.name)"
      )
    }
  }

  private func compare(_ name: String, prefix: Int, at path: String) throws {
    let found = FileManager.default.contents(atPath: "\(site.path)/\(path)").map { Array($0.prefix(prefix)) }
    require(found == site.files[name].map { Array($0.prefix(prefix)) }, "\(path) was accepted, and it is not as it was")
  }
}
