/// The result of an update.
public struct Update: Hashable, Sendable {
  /// The outcome of an update that did not fail.
  public enum Outcome: Hashable, Sendable {
    /// The values changed, and Apple has them.
    case sent
    /// Apple has these values already.
    case unchanged
    /// The window is locked. Its values are final, and the next window begins later.
    case windowLocked
    /// There is no value for the user's activity, so the values stay as they are.
    case noValue
  }

  /// The outcome.
  public let outcome: Outcome
  /// The conversion that the values belong to.
  public let conversionType: AdConversionType
  /// The conversion window of the values, 0 to 2.
  public let window: Int
  /// The fine value, 0 to 63.
  public let fineValue: Int
  /// The coarse value of the window; nil if it has none.
  public let coarseValue: CoarseConversionValue?
  /// Indicates that this update locked the window, so that its postback is sent before the window ends.
  public let locksWindow: Bool

  /// The result of a decision, with the values of the state that it led to.
  init(_ decision: Decision, _ state: ConversionState) {
    outcome = decision.outcome
    conversionType = state.type
    window = decision.window
    fineValue = state.fineValue ?? 0
    coarseValue = state.windows[window].coarse
    locksWindow = decision.change?.locksWindow ?? false
  }
}

/// A coarse conversion value. The raw values are those of storage and parameters.
public enum CoarseConversionValue: Int, CaseIterable, Sendable {
  /// `low`.
  case low
  /// `medium`.
  case medium
  /// `high`.
  case high
}

/// The type of a conversion.
public enum AdConversionType: CaseIterable, Sendable {
  /// The app was installed.
  case install
  /// A user came back to the installed app through an ad of AdAttributionKit.
  case reengagement
}

/// The version of Apple's rules that the client follows.
public enum AdFramework: CaseIterable, Sendable {
  /// SKAdNetwork 1 to 3: one fine value, which only rises, until 24 hours after the last update.
  case skAdNetwork3
  /// SKAdNetwork 4 and AdAttributionKit: three conversion windows, with fine and coarse values.
  case skAdNetwork4

  /// Indicates that there are three conversion windows.
  var hasWindows: Bool { self == .skAdNetwork4 }
}

/// Names of events.
public enum Event {
  /// The event of an app that was opened.
  public static let session = "__SESSION__"

  /// Tells if a name has 1 to 32 characters, all printable ASCII.
  static func isValid(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}

/// The error of an operation of the client. The state is as it was before.
public enum ConversionClientError: Error, Sendable {
  /// The name of the event is empty, longer than 32 characters or not printable ASCII.
  case invalidEvent(String)
  /// The amount is not a number, or its total would be 10¹⁵ or more.
  case invalidAmount(String)
  /// The currency is no ISO 4217 code.
  case invalidCurrency(String)
  /// All conversion windows have ended.
  case windowsOver
  /// The first launch lies in the future, so the clock of the device was wrong then or is now.
  case clockWrong(firstCall: Int, now: Int)
  /// The server could not be reached.
  case network(any Error)
  /// The server answered with this HTTP status.
  case httpStatus(Int)
  /// The server gave this reason instead of a value.
  case refused(String)
  /// The text is no answer of the conversion value API.
  case malformedAnswer(String)
  /// This member of the answer is not a legal value.
  case illegalValue(name: String, value: String)
  /// No model is in force for the app at its first launch, or the model does not describe the window.
  case noModel
  /// Revenue cannot be converted into the currency of the model, for this reason.
  case noRate(String)
  /// The source of values knows installs only.
  case reengagementNotSupported
  /// Apple's framework reported this error.
  case apple(any Error)
  /// The state could not be read or written.
  case storage(any Error)
  /// The task was cancelled before Apple was told of new values.
  case cancelled
}
