/// The phase of a consumer.
package enum ConsumerPhase: String, CaseIterable, Sendable {
  /// It opens the state.
  case starting
  /// It takes files from the spool.
  case running
  /// The state or the tables cannot be written; it tries again every few seconds. Files wait in the spool.
  case failing
  /// It should run, but has made no progress for some time. A disk that does not respond has this effect.
  case stuck
  /// It has ended.
  case stopped
}
