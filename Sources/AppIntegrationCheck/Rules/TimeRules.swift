extension DeviceCheck {
  private static let earliestCall: Int64 = 1_400_000_000
  private static let day: Int64 = 86_400

  /// Checks the times of the calls. Returns the seconds from the first call to the reception; nil if the times are not
  /// plausible.
  mutating func checkTimes(_ row: SessionValues, received: Int64) -> Int64? {
    guard let first = row.firstCall ?? firstCall else { return nil }
    let last = row.lastCall
    var isPlausible = true
    let early = [(MetadataField.firstCall, row.firstCall), (.lastCall, last)].filter {
      $0.1 ?? .max < Self.earliestCall
    }
    if !early.isEmpty {
      note(.timestampOrder, early.map { "\($0.0.name) \($0.1 ?? 0) is before May 2014" }.joined(separator: ", "))
      isPlausible = false
    }
    if let last, last < first {
      note(.timestampOrder, "last call \(last) is \(first - last) s before first call \(first)")
      isPlausible = false
    }
    if let latest = [row.firstCall, last].compactMap({ $0 }).max(), latest > received + Self.clockTolerance {
      note(.timestampOrder, "call \(latest) is \(latest - received) s after the reception")
      isPlausible = false
    }
    guard isPlausible else { return nil }
    if let known = firstCall, known != first {
      note(.firstCallChanges, "first call \(known), then \(first)")
    } else if firstCall == nil, let opened = firstReceived, first > opened + 60 {
      let isLost = first > opened + 60 * Self.day
      note(.firstCallLate, "first call \(first - opened) s after the first session", isLost ? .fail : nil)
    }
    checkEnd(first: first, last: last)
    firstCall = first
    return received - first
  }

  private mutating func checkEnd(first: Int64, last: Int64?) {
    guard let last, last != lastCall else { return }
    if !isLegacy, last - first > 35 * Self.day {
      note(.lastAfterEnd, "last call \(last - first) s after the first")
    }
    if isLegacy, let before = lastCall ?? (last > first ? first : nil), last - before > Self.day {
      note(.lastAfterEnd, "last call \(last - before) s after the update before")
    }
  }
}
