/// What became of one record of the input: every stage hands on exactly one for each that it was given.
package enum Outcome<Good: Sendable>: Sendable {
  /// It passed the stage.
  case accepted(Good)
  /// It was rejected, here or earlier.
  case rejected(Rejection)
}

/// A few thousand outcomes of one input, in the order of the input.
package struct Batch<Good: Sendable>: Sendable {
  /// The input they come from.
  package var input: InputFile
  /// The bytes that all ranges in the outcomes are ranges of.
  package var bytes: [UInt8]
  /// One for each record.
  package var outcomes: [Outcome<Good>]
  /// Bytes of the input, as it is stored, that have been read so far.
  package var consumed: Int64
  /// How far the input is with this batch; nil in a pause.
  package var standing: InputStanding?

  /// Whether this is no batch, but the word that there is nothing to read for now.
  package var isPause: Bool { standing == nil && outcomes.isEmpty }

  /// The same batch after a stage that judges each accepted outcome by itself.
  func map<Next>(_ judge: (Good) -> Outcome<Next>) -> Batch<Next> {
    let judged = outcomes.map { outcome in
      switch outcome {
      case .accepted(let good): judge(good)
      case .rejected(let rejection): Outcome<Next>.rejected(rejection)
      }
    }
    return Batch<Next>(input: input, bytes: bytes, outcomes: judged, consumed: consumed, standing: standing)
  }
}
