/// What Apple keeps of an app's conversion values in SKAdNetwork 4.
struct SKAN4Device {
  /// The values of one conversion window.
  struct Window {
    /// The last fine value; window 0 only.
    var fine: Int?
    /// The last coarse value, 0 to 2.
    var coarse: Int?
    /// When the app locked the window; updates until its end are ignored from then on.
    var lockedAt: Int?
  }

  /// When each window ends, in seconds after the first launch.
  static let ends = [48 * 3600, 7 * 24 * 3600, 35 * 24 * 3600]

  /// When the app was first launched.
  let firstLaunch: Int
  /// The three windows.
  private(set) var windows = [Window](repeating: Window(), count: 3)

  init(firstLaunch: Int) { self.firstLaunch = firstLaunch }

  /// `updatePostbackConversionValue(_:coarseValue:lockWindow:)`.
  mutating func update(fine: Int, coarse: Int?, locksWindow: Bool, at time: Int) {
    guard let index = Self.ends.firstIndex(where: { time - firstLaunch < $0 }), windows[index].lockedAt == nil else {
      return
    }
    if index == 0 { windows[0].fine = fine }
    if let coarse { windows[index].coarse = coarse }
    if locksWindow { windows[index].lockedAt = time }
  }

  /// When Apple's timer for a window's postback starts: at its end, or when the app locked it.
  func closingTime(of window: Int) -> Int { windows[window].lockedAt ?? firstLaunch + Self.ends[window] }

  /// The last second in which a window's values could change.
  func finalTime(of window: Int) -> Int { windows[window].lockedAt ?? firstLaunch + Self.ends[window] - 1 }
}
