internal import Base
internal import ConversionModel
internal import ModelFitting
internal import PostbackPipeline

/// The options of a fitted model: its rows and its labels.
struct FittedOptions: OptionGroup {
  let bundleID = Option("--bundle-id ID", "The app's bundle id; needed if the events are of several apps.").value(.text)
  let currency = Option("--currency CODE", "The currency; needed if the revenue is in several.")
    .value("an ISO 4217 code such as USD") { $0.isCurrencyCode ? $0 : nil }
  let revenueKind = Option("--revenue-kind KIND", "all, iap or admon; default that of --against, or all.")
    .value(ValueKind<RevenueKind>.word)
  let event = Option(
    "--event NAME",
    "The name of the event that has the revenue in the model; default that of --against, or purchase."
  ).value("a name of 1 to 256 bytes without control characters") { InputContext.isName($0) ? $0 : nil }
  let keptEvents = Option(
    "--keep-events NAMES",
    "Up to three events, joined by commas, that fine values tell besides revenue."
  ).value("up to three names of events, joined by commas", else: [String]()) { text -> [String]? in
    let names = text.split(separator: ",").map(String.init)
    return (1...3).contains(names.count) && Set(names).count == names.count ? names : nil
  }
  let modelID = Option("--model-id ID", "The model's id; default that of --against, or fitted.")
    .value("1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'") { text in
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isInNames) ? text : nil
    }
  let version = Option("--model-version N", "The model's version; default the next one.")
    .value(.integer(in: 1...Int.max))
  let from = Option(
    "--effective-from TIME",
    "The first install date of the model; default all; with --against its end, or the day after the last row."
  ).value(.time)
}

/// The options of the assumptions of a fit.
struct FitAssumptionOptions: OptionGroup {
  let objective = Option("--objective ERROR", "The error that is least: squared, which is the default, or rank.")
    .value(ValueKind<Objective>.word, else: .squared)
  private let tiers = Option(
    "--tiers SHARES",
    "The shares of postbacks of data tiers 0 to 3; default 0.25,0.25,0.25,0.25."
  ).value("four shares that add up to 1, such as 0.1,0.2,0.3,0.4") { text -> [Double]? in
    let shares = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
    guard shares.count == 4, shares.allSatisfy({ (0...1).contains($0) }) else { return nil }
    return (shares.reduce(0, +) - 1).magnitude < 1e-6 ? shares : nil
  }
  private let campaignInstalls = Option("--campaign-installs N", "The installs of a campaign; default 1000.")
    .value(.integer(in: 1...10_000_000), else: 1000)
  private let dayWorth = Option(
    "--day-worth AMOUNT",
    "The worth of a day by which the data of a campaign come earlier; default 0, so nothing is locked."
  ).value("an amount such as 20") { try? Amount(parsing: $0) }
  private let folds = Option("--folds N", "The folds of users for the cross-validation; default 5.")
    .value(.integer(in: 2...100), else: 5)
  private let seed = Option("--seed S", "The seed of folds, intervals and drawn campaigns; default 1.")
    .value("an integer from 0 to \(UInt64.max)", else: 1) { UInt64($0) }

  /// The assumptions.
  func assumptions() -> Assumptions {
    var assumptions = Assumptions()
    if let tiers { assumptions.tiers = tiers }
    (assumptions.campaignInstalls, assumptions.folds, assumptions.seed) = (campaignInstalls, folds, seed)
    assumptions.dayWorth = dayWorth?.approximation ?? 0
    return assumptions
  }
}
