import Base
import JSON

/// A client of version 2 of the API for SKAdNetwork 4, as the published iOS clients work: it keeps its state in the user
/// defaults, sends all of it with every event, and passes the answer to Apple.
struct SKAN4Client {
  /// The integers in the user defaults, by key.
  private var numbers: [String: Int] = [:]
  /// The totals of revenue in the user defaults, by key and currency. Apps add them with binary floating point.
  private var totals: [String: [String: Double]] = [:]

  private static let windowEnds = [48 * 3600, 7 * 24 * 3600, 35 * 24 * 3600]
  /// The keys of the integers that are times.
  private static let timeKeys: Set<String> = [
    "skan_first_call_to_skadnetwork_timestamp", "skan_last_call_to_skadnetwork_timestamp", "p0_window_lock",
    "p1_window_lock", "p2_window_lock",
  ]

  /// Returns the conversion window at `time`; nil if all are over.
  private func window(at time: Int) -> Int? {
    let age = time - (numbers["skan_first_call_to_skadnetwork_timestamp"] ?? 0)
    return Self.windowEnds.firstIndex { age < $0 }
  }

  /// Registers the first launch.
  mutating func register(on device: inout SKAN4Device, at time: Int) {
    guard numbers["skan_first_call_to_skadnetwork_timestamp"] == nil else { return }
    device.update(fine: 0, coarse: nil, locksWindow: false, at: time)
    numbers["skan_first_call_to_skadnetwork_timestamp"] = time
    keep(fine: 0, coarse: nil, locksWindow: false, at: time)
  }

  /// Adds revenue to the totals.
  mutating func earn(_ amount: Double, _ currency: String, fromAds: Bool, at time: Int) {
    guard let window = window(at: time) else { return }
    let overall = fromAds ? "skan_total_admon_revenue_by_currency" : "skan_total_revenue_by_currency"
    for key in [overall, "p\(window)_total_\(fromAds ? "admon" : "iap")_revenue"] {
      totals[key, default: [:]][currency, default: 0] += amount
    }
  }

  /// Reports an event, and passes the values of the answer to the device.
  mutating func report(
    _ event: String,
    to service: some ConversionValueService,
    on device: inout SKAN4Device,
    at time: Int
  ) throws {
    guard window(at: time) != nil else { return }
    let query = self.query(event, clockOffset: service.clockOffset(at: time))
    guard let body = try service.get("/api/v2/conversion_value", query: query, at: time),
      case .object(let members) = try JSONValue(parsing: body)
    else { return }
    let answer = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    guard let fine = answer["conversion_value"]?.wholeNumber, (0...63).contains(fine) else { return }
    let coarse = answer["skan_updated_coarse_value"]?.wholeNumber
    guard coarse.map((0...2).contains) ?? true else { return }
    let locksWindow = answer["skan_updated_lock_window_value"] == .bool(true)
    device.update(fine: fine, coarse: coarse, locksWindow: locksWindow, at: time)
    keep(fine: fine, coarse: coarse, locksWindow: locksWindow, at: time)
  }

  private func query(_ event: String, clockOffset: Int) -> String {
    var parameters = [("a", "key"), ("p", "iOS"), ("i", "com.example.app"), ("v", "17.4"), ("n", event)]
    for (key, number) in numbers {
      parameters.append((key, "\(number + (Self.timeKeys.contains(key) ? clockOffset : 0))"))
    }
    for (key, amounts) in totals {
      parameters.append((key, "{" + amounts.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"))
    }
    return parameters.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
  }

  private mutating func keep(fine: Int, coarse: Int?, locksWindow: Bool, at time: Int) {
    guard let window = window(at: time) else { return }
    if window == 0 {
      numbers["prev_fine_value"] = numbers["skan_current_conversion_value"]
      numbers["skan_current_conversion_value"] = fine
    }
    numbers["p\(window)_prev_coarse_value"] = numbers["p\(window)_coarse"]
    numbers["p\(window)_coarse"] = coarse
    if locksWindow { numbers["p\(window)_window_lock"] = time }
    numbers["skan_last_call_to_skadnetwork_timestamp"] = time
  }
}

extension JSONValue {
  /// The value as an integer; nil if it is not one.
  var wholeNumber: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
}

/// The conversion values of an app that Apple keeps on a device in SKAdNetwork 4.
struct SKAN4Device {
  /// The values of one conversion window.
  struct Window {
    /// The last fine value; nil in windows 1 and 2.
    var fine: Int?
    /// The last coarse value, 0 to 2.
    var coarse: Int?
    /// The time at which the app locked the window, after which updates are ignored; nil if it did not.
    var lockedAt: Int?
  }

  /// The ends of the windows, in seconds after the first launch.
  static let ends = [48 * 3600, 7 * 24 * 3600, 35 * 24 * 3600]

  /// The time of the first launch.
  let firstLaunch: Int
  /// The three windows.
  private(set) var windows = [Window](repeating: Window(), count: 3)

  init(firstLaunch: Int) { self.firstLaunch = firstLaunch }

  /// Simulates `updatePostbackConversionValue(_:coarseValue:lockWindow:)`.
  mutating func update(fine: Int, coarse: Int?, locksWindow: Bool, at time: Int) {
    guard let index = Self.ends.firstIndex(where: { time - firstLaunch < $0 }), windows[index].lockedAt == nil else {
      return
    }
    if index == 0 { windows[0].fine = fine }
    if let coarse { windows[index].coarse = coarse }
    if locksWindow { windows[index].lockedAt = time }
  }

  /// Returns the time at which Apple's timer for a window's postback starts: the end of the window, or the lock.
  func closingTime(of window: Int) -> Int { windows[window].lockedAt ?? firstLaunch + Self.ends[window] }

  /// Returns the last second in which a window's values could change.
  func finalTime(of window: Int) -> Int { windows[window].lockedAt ?? firstLaunch + Self.ends[window] - 1 }
}
