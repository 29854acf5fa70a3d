public import Base
internal import JSON

/// Exchange rates by day, from a file with the columns `date,currency,rate`.
///
/// The rates of a date are units of each currency for one unit of a common base, which is listed with the rate 1. A
/// conversion uses the rates of one date only.
@available(iOS 18.0, *)
public struct CurrencyRates: Sendable {
  /// The number of days after its date on which a rate may still be used. No rates are published on weekends and
  /// holidays.
  public static let daysInUse = 7

  /// The rates by currency, by day since 1970-01-01.
  private var byDay: [Int64: [String: ExchangeRate]] = [:]

  /// An instance without rates, which converts a currency to itself only.
  public static let none = CurrencyRates()

  /// Loads the rates of a file. Throws all problems of the file at once.
  public init(loading path: String) throws(ModelErrors) {
    let bytes: [UInt8]
    do {
      bytes = try ModelPath(path: path).bytes()
    } catch {
      throw ModelErrors(problems: [ModelProblem(file: path, reason: error.reason)])
    }
    try self.init(parsing: bytes, file: path)
  }

  /// Parses the rates of a text. Problems name `file` as their file.
  public init(parsing text: [UInt8], file: String) throws(ModelErrors) {
    var reader = RatesReader(file: file)
    reader.read(text)
    byDay = try reader.rates()
  }

  private init() {}

  /// The first and the last day with rates, in days since 1970-01-01; nil if there are none.
  package var days: ClosedRange<Int64>? {
    guard let first = byDay.keys.min(), let last = byDay.keys.max() else { return nil }
    return first...last
  }

  /// Converts an amount to another currency, rounded half to even to six fraction digits.
  ///
  /// The rates are those of the latest date that has both currencies, on the day of `time` in UTC or at most
  /// `daysInUse` days before. The same currency needs no rate. Never traps.
  public func convert(
    _ amount: Amount,
    from source: String,
    to target: String,
    on time: Timestamp
  ) throws(CurrencyConversionError) -> Amount {
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
@available(iOS 18.0, *)
public enum CurrencyConversionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no rate of `currency` on a date that also has a rate of `other`, on the day or in the `daysInUse` days
  /// before.
  case noRate(currency: String, other: String, on: Timestamp)
  /// The result would be 10¹⁵ or more.
  case tooLarge(Amount, from: String, to: String)

  /// The error as a sentence: the missing rate and its date, or the amount that is too large.
  public var description: String {
    switch self {
    case .noRate(let currency, let other, let time):
      "There is no rate of \(currency) on \(time.description.prefix(10)) or the \(CurrencyRates.daysInUse) days before, "
        + "on a date that also has a rate of \(other). Add the rate to the file of rates."
    case .tooLarge(let amount, let source, let target):
      "\(amount) \(source) in \(target) is 1000000000000000 or more, which is too large."
    }
  }
}

/// Units of a currency for one of the base: more than 0, below 10¹², with at most twelve fraction digits and 21
/// digits in all.
@available(iOS 18.0, *)
struct ExchangeRate: Hashable {
  /// The rate as a whole number of units of 10⁻¹².
  let units: UInt128

  static let fractionDigits = 12

  /// The rate of a JSON number's text; nil where the text is no JSON number within these limits.
  init?(_ text: String) {
    var digits = JSONNumberDigits(text)
    guard !digits.isNegative, digits.read(), digits.count > 0, digits.count <= 21,
      digits.count + digits.exponent <= 12, digits.exponent >= -Self.fractionDigits
    else { return nil }
    var units = UInt128(digits.significand)
    for _ in 0..<(digits.exponent + Self.fractionDigits) { units *= 10 }
    self.units = units
  }

  /// Indicates that the rate is 1, the rate of the base.
  var isOne: Bool { units == 1_000_000_000_000 }
}

@available(iOS 18.0, *)
extension Amount {
  /// The amount × `target` / `source`, rounded half to even to six fraction digits; nil where that is 10¹⁵ or more.
  func converted(from source: ExchangeRate, to target: ExchangeRate) -> Amount? {
    // The limits of rates keep the divisor below 2¹²⁸: an amount counts units of 10⁻⁷, the result units of 10⁻⁶.
    let divisor = source.units * 10
    let product = units.magnitude.multipliedFullWidth(by: target.units)
    guard let quotient = divisor.quotientToNearestOrEven(of: product),
      quotient < Self.limit.units.magnitude / 10
    else { return nil }
    let magnitude = Int128(quotient) * 10
    return Amount(units: units < 0 ? -magnitude : magnitude)
  }
}

/// The currency codes of ISO 4217.
package enum CurrencyCodes {
  /// The codes of currencies in use, and those withdrawn since SKAdNetwork began.
  package static let all = Set(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BYR BZD CAD CDF CHE \
    CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
    HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD \
    MDL MGA MKD MMK MNT MOP MRO MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STD STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS \
    UAH UGX USD USN UYI UYU UYW UZS VED VEF VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS \
    XUA XXX YER ZAR ZMW ZWG ZWL
    """.split(separator: " ").map(String.init)
  )
}
