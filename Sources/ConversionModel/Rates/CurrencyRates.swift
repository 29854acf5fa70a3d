public import Base

/// Exchange rates by day, from a file with the columns `date,currency,rate`.
///
/// The rates of a date are units of each currency for one unit of a common base, which is listed with the rate 1. A
/// conversion uses the rates of one date only.
public struct CurrencyRates: Sendable {
  /// The number of days after its date on which a rate may still be used. No rates are published on weekends and
  /// holidays.
  public static let daysInUse = 7

  /// The rates by currency, by day since 1970-01-01.
  private var byDay: [Int64: [String: Rate]] = [:]

  /// An instance without rates, which converts a currency to itself only.
  public static let none = CurrencyRates()

  /// Loads the rates of a file. Throws all problems of the file at once.
  public init(loading path: String) throws(RatesErrors) {
    let bytes: [UInt8]
    do {
      bytes = try ModelPath(path: path).bytes()
    } catch {
      throw RatesErrors(problems: [RatesProblem(file: path, line: nil, reason: error.reason)])
    }
    try self.init(parsing: bytes, file: path)
  }

  /// Parses the rates of a text. Problems name `file` as their file.
  public init(parsing text: [UInt8], file: String) throws(RatesErrors) {
    var reader = RatesReader(file: file)
    reader.read(text)
    byDay = try reader.rates()
  }

  private init() {}

  /// Converts an amount to another currency, rounded half to even to six fraction digits.
  ///
  /// The rates are those of the latest date that has both currencies, on the day of `time` in UTC or at most
  /// `daysInUse` days before. The same currency needs no rate. Never traps.
  public func convert(
    _ amount: Amount,
    from source: String,
    to target: String,
    on time: Timestamp
  ) throws(ConversionFailure) -> Amount {
    if source == target { return amount }
    let day = time.daysSince1970
    let dates = stride(from: day, through: day - Int64(Self.daysInUse), by: -1)
    for rates in dates.lazy.compactMap({ byDay[$0] }) {
      guard let one = rates[source], let other = rates[target] else { continue }
      guard let converted = amount.converted(from: one, to: other) else {
        throw .tooLarge(amount, from: source, to: target)
      }
      return converted
    }
    let isKnown = dates.contains { byDay[$0]?[source] != nil }
    throw .noRate(currency: isKnown ? target : source, other: isKnown ? source : target, on: time)
  }
}

/// The reason for which an amount could not be converted.
public enum ConversionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no rate of `currency` on a date that also has a rate of `other`, on the day or in the `daysInUse` days
  /// before.
  case noRate(currency: String, other: String, on: Timestamp)
  /// The result would be 10¹⁵ or more.
  case tooLarge(Amount, from: String, to: String)

  /// The failure as text: the missing rate and its date, or the amount that is too large.
  public var description: String {
    switch self {
    case .noRate(let currency, let other, let time):
      "there is no rate of \(currency) on \(time.description.prefix(10)) or the \(CurrencyRates.daysInUse) days before, "
        + "of a date that has \(other), too; add it to the rates"
    case .tooLarge(let amount, let source, let target):
      "\(amount) \(source) in \(target) is 1000000000000000 or more"
    }
  }
}
