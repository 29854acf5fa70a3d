/// What became of one record of the input: every stage hands on exactly one for each that it was given.
package enum Outcome<Good: Sendable>: Sendable {
  /// It passed the stage.
  case accepted(Good)
  /// It was rejected, here or earlier.
  case rejected(Rejection)
}

/// Some thousand outcomes, in the order of the records.
package struct Batch<Good: Sendable>: BatchOfInputs {
  /// The bytes that all ranges in the outcomes are ranges of.
  package var bytes: [UInt8]
  /// One for each record.
  package var outcomes: [Outcome<Good>]
  /// Where the records come from, in their order; nothing in a pause.
  package var origins: [BatchOrigin]

  /// The same batch after a stage that judges each accepted outcome by itself.
  func map<Next>(_ judge: (Good) -> Outcome<Next>) -> Batch<Next> {
    let judged = outcomes.map { outcome in
      switch outcome {
      case .accepted(let good): judge(good)
      case .rejected(let rejection): Outcome<Next>.rejected(rejection)
      }
    }
    return Batch<Next>(bytes: bytes, outcomes: judged, origins: origins)
  }
}
