internal import ConversionModel

extension DeviceCheck {
  /// Checks the values and locks of the windows against the time since the first call.
  mutating func checkWindows(_ row: SessionValues, _ model: ConversionModel?, age: Int64?) {
    checkLocks(row, age: age)
    guard let age else { return }
    for window in 1...2 {
      if age < ModelWindow.spans[window].lowerBound - Self.clockTolerance, let set = row.valueSet(inWindow: window) {
        note(.windowFuture, "\(set) \(age) s after the first call")
      }
      if let rows = rowsAfterSession[window] {
        rowsAfterSession[window] = rows + 1
      } else if row.event == SessionValues.session, ModelWindow.spans[window].contains(age),
        model.map({ $0.window(window) != nil }) ?? true
      {
        rowsAfterSession[window] = 0
      }
    }
  }

  private mutating func checkLocks(_ row: SessionValues, age: Int64?) {
    for window in 0...2 {
      guard let lock = row.locks[window] ?? locks[window] else { continue }
      let name = MetadataField.locks[window].name
      if lock != locks[window] {
        guard age != nil, let firstCall, !ModelWindow.spans[window].contains(lock - firstCall) else { continue }
        note(.lockInWindow, "\(name) \(lock - firstCall) s after the first call")
        continue
      }
      // The value may have changed together with the lock, and its metadata may lag behind.
      guard let last = row.lastCall, last > lock else { continue }
      let isFineChanged = window == 0 && row.current != nil && current != nil && row.current != current
      let isCoarseChanged =
        row.coarse[window] != nil && coarse[window] != nil && row.coarse[window] != coarse[window]
      if isFineChanged || isCoarseChanged, lastCall.map({ $0 >= lock }) ?? true {
        note(.lockInWindow, "a value of window \(window) changes \(last - lock) s after \(name)")
      }
    }
  }
}

extension SessionValues {
  /// Returns a value that is set in a window, for a message. A coarse value of 0 and empty revenue count as not set.
  fileprivate func valueSet(inWindow window: Int) -> String? {
    if let value = coarse[window], value > 0 { return "\(MetadataField.coarse[window].name) \(value)" }
    if let lock = locks[window] { return "\(MetadataField.locks[window].name) \(lock)" }
    for (field, total) in [
      (MetadataField.revenues[window], revenues[window]), (MetadataField.adRevenues[window], adRevenues[window]),
    ] {
      if let total, total.values.contains(where: { $0 > .zero }) { return "\(field.name) is set" }
    }
    return nil
  }
}
