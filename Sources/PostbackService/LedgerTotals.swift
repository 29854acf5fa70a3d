package import Ledger
package import SKAdNetwork
package import Tables

/// The ledger's counters over the life of the state, including all restarts.
package struct LedgerTotals: Equatable, Sendable {
  private let counts: [LedgerCounter: Int64]

  /// Creates totals from the counters of a ledger.
  package init(_ counts: [LedgerCounter: Int64] = [:]) { self.counts = counts }

  /// The number of records read.
  package var read: Int64 { self[.read] }
  /// The number of accepted postbacks.
  package var accepted: Int64 { self[.accepted] }
  /// The number of rejected records.
  package var rejected: Int64 { RejectCode.allCases.reduce(0) { $0 + rejected($1) } }

  /// Returns the number of records rejected with this code.
  package func rejected(_ code: RejectCode) -> Int64 { self[.rejected(code)] }

  /// Returns the number of records rejected with a code that were fed back into a later run.
  package func reprocessed(_ code: RejectCode) -> Int64 { self[.reprocessed(code)] }

  /// Returns the number of committed rows of a table.
  package func rows(of table: Table) -> Int64 { self[.rows(ofTable: table.name)] }

  /// Returns the number of inputs with this outcome.
  func inputs(_ outcome: InputOutcome) -> Int64 { self[.inputs(outcome)] }

  private subscript(counter: LedgerCounter) -> Int64 { counts[counter] ?? 0 }
}
