/// Exchange rates by day, from a file with the columns `date,currency,rate`.
///
/// The rates of a date are units of each currency for one unit of a common base, which is listed with the rate 1. Money
/// is converted with rates of one date only.
public struct CurrencyRates: Sendable {
  /// For how many days a rate stays in use: over weekends and holidays nobody publishes any.
  public static let daysInUse = 7

  /// The rates of a day, counted from 1970-01-01, by currency.
  private var byDay: [Int64: [String: Rate]] = [:]

  /// No rates: money of one currency only can be converted, to itself.
  public static let none = CurrencyRates()

  /// The rates of a file. Throws everything that is wrong with it.
  public init(loading path: String) throws(RatesErrors) {
    let bytes: [UInt8]
    do {
      bytes = try ModelPath(path: path).bytes()
    } catch {
      throw RatesErrors(problems: [RatesProblem(file: path, line: nil, reason: error.reason)])
    }
    try self.init(parsing: bytes, file: path)
  }

  /// The rates of a text. Problems are said to be in `file`.
  public init(parsing text: [UInt8], file: String) throws(RatesErrors) {
    var reader = RatesReader(file: file)
    reader.read(text)
    byDay = try reader.rates()
  }

  private init() {}

  /// An amount in another currency, rounded half to even to six fraction digits.
  ///
  /// The rates are those of the latest date, not after that of `time` in UTC and at most `daysInUse` days before, that
  /// has both currencies. The same currency needs no rate. Never traps.
  public func convert(
    _ amount: Amount,
    from source: String,
    to target: String,
    on time: Timestamp
  ) throws(ConversionFailure) -> Amount {
    if source == target { return amount }
    let day = time.milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000).quotient
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

/// Why an amount could not be converted.
public enum ConversionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no rate of `currency`, or none of a date that has one of `other`, on the day or shortly before.
  case noRate(currency: String, other: String, on: Timestamp)
  /// The result would be 10¹⁵ or more.
  case tooLarge(Amount, from: String, to: String)

  /// What is missing, and when.
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
