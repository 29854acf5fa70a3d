internal import Base
internal import PostbackServer
internal import ConversionModel
internal import DailyReports
internal import LookupTables

/// The options of a daily report with costs and currencies.
struct MoneyOptions: OptionGroup {
  private let cost = Option("--cost FILE", "Join the costs of campaigns by day, from a CSV or JSON file.")
    .configured { $0.derived.costs }.value(.file)
  private let allowsCredits = Option("--allow-credits", "Accept negative costs.")
    .configured { $0.derived.allowsCredits }.isGiven
  private let currency = Option(
    "--currency CUR",
    "Convert revenue and costs to this currency, such as USD, by --rates."
  ).configured { $0.derived.currency }.value("an ISO 4217 code of three capital letters such as USD") {
    $0.isCurrencyCode ? $0 : nil
  }
  private let rates = Option("--rates FILE", "The exchange rates by day, with the columns date,currency,rate.")
    .configured { $0.derived.currency == nil ? nil : $0.rates }.value(.file)
  /// Indicates that a missing rate is an error.
  let isStrict = Option("--strict", "Exit with 65, and write nothing, if a rate is missing.")
    .configured { $0.derived.isStrict }.isGiven

  /// Throws if an option lacks the one that it is about.
  func check() throws {
    if rates != nil, currency == nil {
      throw CommandFailure(.usage, "--rates needs a currency to convert to. Give --currency.")
    }
    if rates == nil, currency != nil {
      throw CommandFailure(.usage, "--currency needs exchange rates. Give a file with --rates.")
    }
    if cost == nil, allowsCredits {
      throw CommandFailure(.usage, "--allow-credits is of a cost file. Give one with --cost.")
    }
    if rates == nil, isStrict {
      throw CommandFailure(.usage, "--strict is of exchange rates. Give --rates and --currency.")
    }
  }

  /// Loads the costs, and prints their warnings; nil if there is no file.
  func loadCosts(
    _ lookups: Lookups,
    _ dates: LookupDateFormat?,
    _ files: LoadedFiles = LoadedFiles(),
    isQuiet: Bool = false
  ) throws -> Costs? {
    guard let cost else { return nil }
    let key = "costs \(cost) \(dates?.rawValue ?? "") \(allowsCredits) \(lookups.hexadecimalDigest)"
    let costs = try files.value(key) {
      try Costs(loading: cost, lookups.networks, dates: dates, allowingCredits: allowsCredits)
    }
    if !isQuiet { files.warn(key, costs.warnings) }
    return costs
  }

  /// Loads the rates; nil if there is no file.
  func loadCurrency(_ files: LoadedFiles = LoadedFiles()) throws -> ReportCurrency? {
    guard let rates, let currency else { return nil }
    let key = "rates \(rates) \(currency)"
    return try files.value(key) {
      do throws(ReportCurrency.Failure) {
        return try ReportCurrency(currency, loading: rates)
      } catch {
        switch error {
        case .file(let failure): throw failure
        case .rates(let errors): throw errors
        case .noRates:
          throw CommandFailure(
            .configuration,
            "\(rates.withControlCharactersEscaped): The file has a header and no rates, so nothing can be converted to \(currency). "
              + "Add the rates, or name another file with --rates."
          )
        case .libcrypto(let failure): throw failure
        }
      }
    }
  }
}
