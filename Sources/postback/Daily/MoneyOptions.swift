internal import ConversionModel
internal import DailyReports
internal import LookupTables

/// The options of a daily report with costs and currencies.
struct MoneyOptions {
  static let options = [
    Option("--cost", "FILE", "Join the costs of campaigns by day, from a CSV or JSON file."),
    Option("--allow-credits", nil, "Accept negative costs."),
    Option("--currency", "CUR", "Convert revenue and costs to this currency, such as USD, by --rates."),
    Option("--rates", "FILE", "The exchange rates by day, with the columns date,currency,rate."),
    Option("--strict", nil, "Exit with 65, and write nothing, if a rate is missing."),
  ]

  /// Indicates that a missing rate is an error.
  let isStrict: Bool
  private let cost: String?
  private let allowsCredits: Bool
  private let rates: (path: String, currency: String)?

  init(_ arguments: Arguments) throws(CommandFailure) {
    cost = try Self.path("--cost", arguments)
    allowsCredits = arguments.has("--allow-credits")
    isStrict = arguments.has("--strict")
    let currency = try arguments.value("--currency", "an ISO 4217 code of three capital letters such as USD") {
      $0.isCurrencyCode ? $0 : nil
    }
    switch (try Self.path("--rates", arguments), currency) {
    case (let path?, let currency?): rates = (path, currency)
    case (nil, nil): rates = nil
    case (_?, nil): throw CommandFailure(.usage, "--rates needs a currency to convert to. Give --currency.")
    case (nil, _?): throw CommandFailure(.usage, "--currency needs exchange rates. Give a file with --rates.")
    }
    if cost == nil, allowsCredits {
      throw CommandFailure(.usage, "--allow-credits is of a cost file. Give one with --cost.")
    }
    if rates == nil, isStrict {
      throw CommandFailure(.usage, "--strict is of exchange rates. Give --rates and --currency.")
    }
  }

  private static func path(_ option: String, _ arguments: Arguments) throws(CommandFailure) -> String? {
    guard let path = arguments.value(option) else { return nil }
    guard !path.isEmpty else { throw CommandFailure(.usage, "The value of \(option) is empty. Give a file.") }
    return path
  }

  /// Loads the costs, and prints their warnings; nil if there is no file.
  func loadCosts(
    _ lookups: Lookups,
    _ dates: LookupDateFormat?,
    _ files: LoadedFiles = LoadedFiles(),
    isQuiet: Bool = false
  ) throws(CommandFailure) -> Costs? {
    guard let cost else { return nil }
    let key = "costs \(cost) \(dates?.rawValue ?? "") \(allowsCredits) \(lookups.hexadecimalDigest)"
    let costs = try files.value(key) { () throws(CommandFailure) in
      do throws(Lookups.Failure) {
        return try Costs(loading: cost, lookups.networks, dates: dates, allowingCredits: allowsCredits)
      } catch {
        throw CommandFailure(error)
      }
    }
    if !isQuiet { files.warn(key, costs.warnings) }
    return costs
  }

  /// Loads the rates; nil if there is no file.
  func loadCurrency(_ files: LoadedFiles = LoadedFiles()) throws(CommandFailure) -> ReportCurrency? {
    guard let rates else { return nil }
    let key = "rates \(rates.path) \(rates.currency)"
    return try files.value(key) { () throws(CommandFailure) -> ReportCurrency in
      do throws(ReportCurrency.Failure) {
        return try ReportCurrency(rates.currency, loading: rates.path)
      } catch {
        switch error {
        case .file(let failure): throw CommandFailure(failure)
        case .rates(let errors): throw CommandFailure(.configuration, lines: errors)
        case .libcrypto(let failure): throw CommandFailure(.software, "\(failure)")
        }
      }
    }
  }
}

extension CommandFailure {
  /// The failure of loading lookup tables or costs.
  init(_ failure: Lookups.Failure) {
    switch failure {
    case .file(let failure): self.init(failure)
    case .tables(let errors): self.init(.configuration, lines: errors)
    case .libcrypto(let failure): self.init(.software, "\(failure)")
    }
  }
}
