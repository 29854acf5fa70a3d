internal import Base
internal import Metrics

/// The results of the reloads on SIGHUP since the process started.
struct ReloadResults: Equatable, Sendable {
  private(set) var done: Int64 = 0
  private(set) var failed: Int64 = 0
  private(set) var lastSucceeded = true
  private(set) var lastDoneAt = Timestamp.now

  /// Counts a reload.
  mutating func add(succeeded: Bool) {
    if succeeded { done += 1 } else { failed += 1 }
    lastSucceeded = succeeded
    if succeeded { lastDoneAt = .now }
  }
}

extension Exposition {
  /// Adds the results of reloads.
  mutating func add(_ reloads: ReloadResults) {
    begin("postback_reloads_total", .counter, "Reloads on SIGHUP since the process started, by outcome.")
    add(reloads.done, ["outcome": "done"])
    add(reloads.failed, ["outcome": "failed"])
    begin("postback_last_reload_successful", .gauge, "1 if the last reload succeeded, or none was asked for.")
    add(reloads.lastSucceeded ? 1 as Int64 : 0)
    begin(
      "postback_settings_loaded_timestamp_seconds",
      .gauge,
      "Time at which the settings in use were loaded, in seconds since 1970."
    )
    add(Double(reloads.lastDoneAt.milliseconds) / 1000)
  }
}
