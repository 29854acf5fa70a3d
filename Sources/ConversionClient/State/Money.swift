internal import Foundation

/// A payment of the user, or a refund, checked.
struct Payment {
  /// The amount with at most six fraction digits; negative for a refund.
  fileprivate(set) var amount: Decimal
  /// The ISO 4217 code of the currency.
  let currency: String
  /// Indicates revenue from ads.
  let isAdMonetization: Bool

  init(_ amount: Decimal, currency: String, isAdMonetization: Bool) throws(ConversionClientError) {
    let code = currency.uppercased()
    guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw .invalidCurrency(currency)
    }
    guard amount.isFinite, amount > -Decimal.limit, amount < Decimal.limit else { throw .invalidAmount("\(amount)") }
    self.amount = amount.roundedToMicros
    self.currency = code
    self.isAdMonetization = isAdMonetization
  }
}

/// A user's revenue by currency.
struct CurrencyTotals: Equatable {
  fileprivate(set) var amounts: [String: Decimal] = [:]

  init() {}

  /// The totals that were stored; amounts that are no totals are dropped.
  init(_ stored: StoredValue?) {
    guard case .amounts(let amounts) = stored else { return }
    self.amounts = amounts.mapValues(\.roundedToMicros).filter { $0.value >= 0 && $0.value < Decimal.limit }
  }

  mutating func add(_ payment: Payment) throws(ConversionClientError) {
    let total = amounts[payment.currency, default: 0] + payment.amount
    guard total < Decimal.limit else { throw .invalidAmount("\(payment.amount)") }
    if total > 0 || amounts[payment.currency] != nil { amounts[payment.currency] = max(total, 0) }
  }

  /// The payment, or the part of a refund that these totals have room for.
  func limited(_ payment: Payment) -> Payment {
    var limited = payment
    limited.amount = max(payment.amount, -amounts[payment.currency, default: 0])
    return limited
  }

  /// The totals as a JSON object, sorted by currency: `{"EUR":5,"USD":9.99}`.
  var json: String {
    let members = amounts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{\(members.joined(separator: ","))}"
  }

  /// The value to store; nil if there is no revenue.
  var stored: StoredValue? { amounts.isEmpty ? nil : .amounts(amounts) }
}

extension Decimal {
  /// The exclusive upper bound of totals, which the conversion value API has: 10¹⁵.
  static let limit = Decimal(sign: .plus, exponent: 15, significand: 1)

  /// The decimal with at most six fraction digits, rounded half to even.
  var roundedToMicros: Decimal {
    var (value, result) = (self, Decimal())
    unsafe NSDecimalRound(&result, &value, 6, .bankers)
    return result
  }
}
