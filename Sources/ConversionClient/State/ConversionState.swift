internal import Foundation

/// The state of one conversion: the values that Apple has, the times, and the user's activity.
struct ConversionState: Equatable {
  /// The state of a conversion window.
  struct Window: Equatable {
    var coarse: CoarseConversionValue?
    var previousCoarse: CoarseConversionValue?
    /// The time of the lock; nil if the window is not locked.
    var lockedAt: Int?
    var purchases = CurrencyTotals()
    var ads = CurrencyTotals()
    /// The number of times that each event happened in the window.
    var counts: [String: Int] = [:]
  }

  let type: AdConversionType
  var fineValue: Int?
  var previousFineValue: Int?
  /// The time of the first call of Apple's API in Unix seconds; nil before it.
  var firstCall: Int?
  /// The time of the latest call.
  var lastCall: Int?
  var purchases = CurrencyTotals()
  var ads = CurrencyTotals()
  var windows = [Window](repeating: Window(), count: 3)
  /// The tag of a re-engagement.
  var tag: String?

  /// The state before the first call.
  init(of type: AdConversionType) { self.type = type }

  /// The ends of the conversion windows in seconds after the first call.
  static let windowEnds = [172_800, 604_800, 3_024_000]

  /// The index of the window at a time; nil after the last one. A clock that went back counts as the first call.
  func window(at now: Int, under framework: AdFramework) -> Int? {
    guard let firstCall else { return 0 }
    switch framework {
    case .skAdNetwork4: return Self.windowEnds.firstIndex { now - firstCall < $0 }
    case .skAdNetwork3: return now - (lastCall ?? firstCall) <= 86_400 ? 0 : nil
    }
  }
}

extension ConversionState {
  /// Notes the first call, with the value 0.
  mutating func start(at now: Int, coarse: CoarseConversionValue?, tag: String?) {
    (firstCall, lastCall) = (now, now)
    fineValue = 0
    windows[0].coarse = coarse
    self.tag = tag
  }

  /// Adds a payment to the total and to the window at `now`. A refund takes back at most what was paid in this window, or
  /// under rules without windows at most the total: what was paid in earlier windows is in postbacks that were sent.
  mutating func add(_ payment: Payment, at now: Int, under framework: AdFramework) throws(ConversionClientError) {
    let window = framework.hasWindows ? window(at: now, under: framework) : nil
    var payment = payment
    if payment.amount < 0, framework.hasWindows {
      guard let window else { return }
      payment = (payment.isAdMonetization ? windows[window].ads : windows[window].purchases).limited(payment)
    }
    if payment.isAdMonetization {
      try ads.add(payment)
      if let window { try windows[window].ads.add(payment) }
    } else {
      try purchases.add(payment)
      if let window { try windows[window].purchases.add(payment) }
    }
  }

  mutating func count(_ event: String, in window: Int) { windows[window].counts[event, default: 0] += 1 }

  /// Takes over values that Apple has accepted.
  mutating func apply(_ change: ConversionChange, at now: Int) {
    if change.fineValue != fineValue { (previousFineValue, fineValue) = (fineValue, change.fineValue) }
    if change.coarseValue != windows[change.window].coarse {
      windows[change.window].previousCoarse = windows[change.window].coarse
      windows[change.window].coarse = change.coarseValue
    }
    if change.locksWindow { windows[change.window].lockedAt = now }
    lastCall = now
  }
}

/// New values of a conversion window.
struct ConversionChange {
  let window: Int
  let fineValue: Int
  let coarseValue: CoarseConversionValue?
  var locksWindow: Bool

  /// The values of an answer, completed by those in force; nil where the answer has none for its window.
  init?(
    _ answer: ConversionValues,
    to state: ConversionState,
    under framework: AdFramework
  ) throws(ConversionClientError) {
    window = answer.window
    guard state.windows.indices.contains(window) else {
      throw .illegalValue(name: "postback_sequence_index", value: "\(window)")
    }
    if let fine = answer.fineValue, !(0...63).contains(fine) {
      throw .illegalValue(name: "conversion_value", value: "\(fine)")
    }
    let current = state.fineValue ?? 0
    switch framework {
    case .skAdNetwork3:
      guard let fine = answer.fineValue, fine >= current else { return nil }
      (fineValue, coarseValue, locksWindow) = (fine, nil, false)
    case .skAdNetwork4 where window == 0:
      guard let fine = answer.fineValue else { return nil }
      fineValue = fine
      coarseValue = answer.coarseValue ?? state.windows[0].coarse ?? .low
      locksWindow = answer.locksWindow
    case .skAdNetwork4:
      guard let coarse = answer.coarseValue else { return nil }
      (fineValue, coarseValue, locksWindow) = (current, coarse, answer.locksWindow)
    }
  }

  /// The values in force in a window.
  init(of state: ConversionState, in window: Int) {
    self.window = window
    fineValue = state.fineValue ?? 0
    coarseValue = state.windows[window].coarse
    locksWindow = false
  }

  /// Indicates that Apple does not have these values yet.
  func isNew(in state: ConversionState) -> Bool {
    locksWindow || fineValue != state.fineValue || coarseValue != state.windows[window].coarse
  }

  func postbackValues(of state: ConversionState) -> PostbackValues {
    PostbackValues(
      fineValue: fineValue,
      coarseValue: coarseValue,
      locksWindow: locksWindow,
      conversionType: state.type,
      conversionTag: state.tag
    )
  }
}

/// The values of one conversion after an event, before Apple is told of them.
struct Decision {
  /// The place of the re-engagement; nil for the install.
  let place: Int?
  let event: String
  /// The window in which the event happened.
  let current: Int
  /// The window that the values belong to.
  var window: Int
  var outcome = Update.Outcome.noValue
  /// The values of the answer; nil if it has none.
  var change: ConversionChange?
  /// The values to tell Apple; nil if Apple has them already.
  var told: PostbackValues?

  init(_ request: ConversionValueRequest, _ place: Int?) {
    (self.place, event, current, window) = (place, request.event, request.window, request.window)
  }

  /// Counts the event, and takes over new values that Apple has accepted.
  func apply(to state: inout ConversionState, at now: Int) {
    state.count(event, in: current)
    if outcome == .sent, let change { state.apply(change, at: now) }
  }
}
