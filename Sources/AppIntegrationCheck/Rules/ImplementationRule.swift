/// The weight of a finding, in ascending order.
package enum FindingSeverity: String, CaseIterable, Comparable, Sendable {
  case info, warn, fail

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A rule that the sessions and events of an app have to follow.
package enum ImplementationRule: String, CaseIterable, Sendable {
  case parameterMissing = "param_missing"
  case parameterNameCase = "param_name_case"
  case parameterUnknownAlias = "param_unknown_alias"
  case timestampOrder = "ts_order"
  case timestampInMilliseconds = "timestamp_in_milliseconds"
  case firstCallChanges = "first_call_changes"
  case firstCallLate = "first_call_late"
  case lastCallStalls = "last_call_stalls"
  case lastAfterEnd = "last_after_end"
  case fineRange = "fine_range"
  case coarseRange = "coarse_range"
  case previousChain = "prev_chain"
  case legacyRegression = "v3_regression"
  case regression = "v4_regression"
  case fineAfter48Hours = "fine_after_48h"
  case windowFuture = "window_future"
  case windowNever = "window_never"
  case lockInWindow = "lock_in_window"
  case revenueFalls = "revenue_falls"
  case revenueSum = "revenue_sum"
  case revenueDouble = "revenue_double"
  case revenueCurrency = "revenue_currency"
  case valueAgainstModel = "value_vs_model"
  case stuckAtZero = "stuck_at_zero"
  case registerOnly = "register_only"
  case eventName = "event_name"
  case postbackCrossCheck = "postback_cross_check"

  /// The severity, where a finding has no other.
  package var severity: FindingSeverity {
    switch self {
    case .parameterMissing, .timestampOrder, .timestampInMilliseconds, .firstCallChanges, .lastAfterEnd, .fineRange,
      .coarseRange, .legacyRegression, .windowFuture, .lockInWindow, .revenueFalls, .revenueCurrency, .stuckAtZero:
      .fail
    case .parameterNameCase, .parameterUnknownAlias, .firstCallLate, .lastCallStalls, .previousChain, .regression,
      .fineAfter48Hours, .windowNever, .revenueSum, .revenueDouble, .valueAgainstModel, .registerOnly, .eventName:
      .warn
    case .postbackCrossCheck: .info
    }
  }

  /// The problem and its remedy, as sentences.
  package var advice: String {
    switch self {
    case .parameterMissing:
      "A required parameter is missing. Send all required parameters with each session and event."
    case .parameterNameCase: "The name of a parameter has other letter case. Write it as the guide does."
    case .parameterUnknownAlias: "A name is translated, or not known. Write the English name of the guide."
    case .timestampOrder:
      "The calls of Apple's API must be in order: first, last, received; and after May 2014. Store Unix seconds when the calls happen."
    case .timestampInMilliseconds: "A time is in milliseconds. Send whole seconds since 1970."
    case .firstCallChanges: "The first call changes while the device stays the same. Store it once, at registration."
    case .firstCallLate:
      "The first call comes after the first session. Register at the first launch: Apple's timers start then, and 60 days later no postback is sent at all."
    case .lastCallStalls:
      "The model says that the value changes, but the app does not call Apple's API. Update the value with each event."
    case .lastAfterEnd:
      "An update comes after the last window, when Apple ignores it. Stop 35 days after the first call; for SKAdNetwork 3, 24 hours after the update before."
    case .fineRange: "A fine value is an integer from 0 to 63."
    case .coarseRange: "A coarse value is 0, 1 or 2, for low, medium and high."
    case .previousChain: "The value before is not the value that was sent before. Store it together with the new value."
    case .legacyRegression: "The fine value falls, which SKAdNetwork 3 ignores. Send only higher values."
    case .regression:
      "The fine value falls, although the model's values only rise. Check the state that the app stores."
    case .fineAfter48Hours:
      "The fine value changes after 48 hours. It counts only in the first window; send coarse values then."
    case .windowFuture: "A window has values before it begins. Choose the window by the time since the first call."
    case .windowNever: "The app is opened in a later window, and sets no coarse value there. Update it in all windows."
    case .lockInWindow: "A lock is outside its window, or a value changes after its window was locked."
    case .revenueFalls:
      "A total of revenue falls. Take a refund back from the total and from the current window alike, and else let totals only grow."
    case .revenueSum:
      "The windows' revenue does not add up to the total. Add each amount to the total and to one window."
    case .revenueDouble:
      "The total rises twice by the same amount for one event. Add revenue once, and not again when a request is repeated."
    case .revenueCurrency: "A total must be an object of ISO 4217 codes and amounts, such as {\"USD\":9.99}."
    case .valueAgainstModel:
      "The fine value is not the model's for the events and totals so far. Check the model in force, and the app's rules."
    case .stuckAtZero:
      "There are three sessions and revenue, and the value is still 0. Check that updates reach Apple's API."
    case .registerOnly: "The app registers, and never updates its value. Call the update with each session and event."
    case .eventName:
      "An event's name is longer than 32 bytes or not ASCII, or the app's opening is not sent as __SESSION__."
    case .postbackCrossCheck:
      "The values on devices after 48 hours are distributed otherwise than those in postbacks, and data tiers do not explain it. Check that the app hands Apple the value that it stores."
    }
  }
}
