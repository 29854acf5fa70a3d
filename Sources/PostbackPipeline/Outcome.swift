/// The result of a stage for one record. Every stage hands on exactly one outcome for each that it was given.
package enum Outcome<Good: Sendable>: Sendable {
  /// The record passed the stage.
  case accepted(Good)
  /// The record was rejected, in this stage or an earlier one.
  case rejected(Rejection)
}

/// The outcomes of the records of one batch, up to some thousand, in the order of the records.
package struct Batch<Good: Sendable>: BatchOfInputs {
  /// The bytes that all byte ranges in the outcomes refer to.
  package var bytes: [UInt8]
  /// The outcomes, one for each record.
  package var outcomes: [Outcome<Good>]
  /// The inputs of the records, in the order of the records; empty in a pause and only there.
  package var origins: [BatchOrigin]

  /// The same batch after a stage that judges each accepted record by itself; rejections are passed on unchanged.
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
