package import SKAdNetwork

/// A counter of the ledger, which grows with commits over the life of the state.
package struct LedgerCounter: Hashable, Sendable {
  /// The name in the table `counts`.
  let name: String

  /// The records that were read.
  package static let read = LedgerCounter(name: "read")
  /// The postbacks that were accepted.
  package static let accepted = LedgerCounter(name: "accepted")
  /// The records that were rejected, with any code.
  package static let rejected = LedgerCounter(name: "rejected")

  /// The records that were rejected with a code.
  package static func rejected(_ code: RejectCode) -> LedgerCounter { LedgerCounter(name: "reject.\(code.rawValue)") }

  /// The rejected records with a code that a later run read again.
  package static func reprocessed(_ code: RejectCode) -> LedgerCounter {
    LedgerCounter(name: "fed_back.\(code.rawValue)")
  }

  /// The committed rows of a table with a name.
  package static func rows(ofTable name: String) -> LedgerCounter { LedgerCounter(name: "rows.\(name)") }

  /// The finished inputs with an outcome.
  package static func inputs(_ outcome: InputOutcome) -> LedgerCounter {
    LedgerCounter(name: "inputs.\(outcome.rawValue)")
  }
}

/// The outcome of an input that was read or skipped.
package enum InputOutcome: String, CaseIterable, Sendable {
  /// The input was read, and its postbacks are in the tables.
  case done
  /// The input could not be read, and was put aside.
  case failed
  /// The input was skipped, because the same content is already in the tables.
  case skipped
}
