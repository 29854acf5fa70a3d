/// The result of a stage for one record. Every stage hands on exactly one outcome for each that it was given.
package enum Outcome<Good: Sendable>: Sendable {
  /// The record passed the stage.
  case accepted(Good)
  /// The record was rejected, in this stage or an earlier one.
  case rejected(Rejection)
}

/// The outcomes of the records of one batch, up to some thousand, in the order of the records.
package struct Batch<Good: Sendable>: Sendable {
  /// The bytes that all byte ranges in the outcomes refer to.
  package var bytes: [UInt8]
  /// The outcomes, one for each record.
  package var outcomes: [Outcome<Good>]
  /// The inputs of the records, in the order of the records.
  package var origins: [BatchOrigin]

  /// The same batch after a stage that judges each accepted record by itself; rejections are passed on unchanged.
  func map<Next, Failure>(_ judge: (Good) throws(Failure) -> Outcome<Next>) throws(Failure) -> Batch<Next> {
    let judged = try outcomes.map { outcome throws(Failure) in
      switch outcome {
      case .accepted(let good): return try judge(good)
      case .rejected(let rejection): return Outcome<Next>.rejected(rejection)
      }
    }
    return Batch<Next>(bytes: bytes, outcomes: judged, origins: origins)
  }
}

/// One element of the flow: a batch, or the news that there is nothing to read for now.
///
/// `idle` keeps its place between batches. A stage that works on several batches at once hands on all batches before it,
/// and it itself, before it asks for more: the next batch may come much later.
package enum Step<Batch: Sendable>: Sendable {
  /// A batch of records.
  case batch(Batch)
  /// The source has no input for now.
  case idle

  /// Indicates that there is nothing to read for now.
  var isIdle: Bool {
    switch self {
    case .batch: false
    case .idle: true
    }
  }

  /// Returns the step after a stage: its batch is transformed, and idle stays idle.
  func map<Next, Failure>(_ stage: (Batch) throws(Failure) -> Next) throws(Failure) -> Step<Next> {
    switch self {
    case .batch(let batch): .batch(try stage(batch))
    case .idle: .idle
    }
  }
}
