/// A consumer in the process of a receiver, whose health the receiver shows.
package protocol ObservedConsumer: Sendable {
  /// The health now.
  var health: ConsumerHealth { get }
}

/// The health of a consumer in the process of a receiver.
package struct ConsumerHealth: Sendable, Equatable {
  let state: String
  let failure: String?

  /// Creates the health from the state of the consumer as a word, and the reason for its failure, if there is one.
  package init(state: String, failure: String?) {
    self.state = state
    self.failure = failure
  }
}
