package import ConversionModel

/// The error that a model is fitted for.
package enum Objective: String, CaseIterable, Sendable {
  /// The squared error of the revenue of campaigns.
  case squared
  /// The share of pairs of campaigns in the wrong order.
  case rank
}

/// A model whose errors are compared.
package enum ComparedModel: String, CaseIterable, Sendable {
  case fitted
  /// As many paying users in each range.
  case equalFrequency = "equal_frequency"
  /// A constant ratio of neighbouring limits.
  case logarithmic
  /// The present model, as it is.
  case present
  /// The present model with the mean revenue of the users of each value in place of its estimates.
  case presentRelearnt = "present_relearnt"

  /// The name for people.
  package var text: String {
    switch self {
    case .fitted: "fitted"
    case .equalFrequency: "equal frequency"
    case .logarithmic: "log-spaced"
    case .present: "present"
    case .presentRelearnt: "present, worth learnt"
    }
  }
}

/// The errors of a model on users of whom it learnt nothing.
package struct ComparedErrors: Sendable {
  package let model: ComparedModel
  /// The root of the expected squared error of the revenue of a campaign, in each window.
  package let windows: [Estimate]
  /// The same of the revenue of all windows together.
  package let total: Estimate
  /// The parts of the square of `total`.
  package let parts: ErrorParts
  /// The largest part of a single user in the sum of squared errors.
  package let largestUserShare: Double
  /// `total` as a share of the mean revenue of a campaign.
  package let share: Estimate
  /// `total` as a multiple of that of the fitted model, in the same samples of users.
  package let ratio: Estimate
  /// The mean error of a user, in the currency.
  package let meanError: Double
  /// The share of pairs of campaigns in the wrong order.
  package let rank: Estimate
}

/// The effect of a lock in a window.
package struct LockEffect: Sendable {
  package let condition: LockCondition
  /// The root of the expected squared error of the revenue of a campaign in the window.
  package let error: Double
  /// The days by which postbacks come earlier, in the mean of all installs.
  package let daysEarlier: Double
  /// The error that it adds.
  package let added: Estimate

  /// The price of a day from which on the lock is worth its error; nil if no postback comes earlier.
  package var breakEven: Double? { daysEarlier > 0 ? max(0, added.value) / daysEarlier : nil }
}

/// The result of a fit.
package struct FitReport: Sendable {
  package let assumptions: Assumptions
  package let objective: Objective
  /// The power of the revenue for which the ranges are best; 1 for the squared error of revenue itself.
  package let power: Double
  package let revenueKind: RevenueKind
  package let population: Population
  /// The mean revenue of an install, in each window.
  package let meanRevenue: [Double]
  /// The errors, those of the fitted model first.
  package let errors: [ComparedErrors]
  /// The locks by window, that of no lock first.
  package let locks: [[LockEffect]]
  /// The lock that is chosen in each window.
  package let chosenLocks: [LockCondition]
  package let windows: [FittedWindow]
  /// The present model; nil if there is none.
  package let present: ConversionModel?
  /// The events without revenue that the present model tells, and the fitted one does not.
  package let droppedEvents: [String]
}
