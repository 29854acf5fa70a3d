internal import Base
internal import ConversionModel
internal import AppIntegrationCheck
internal import JSON
internal import TableReading

/// The part of a session or an event that a fit needs, as it is sorted.
struct FittingEvent {
  /// An amount of revenue: a total since the first launch, or that of a window.
  struct Entry {
    /// 0 for purchases, 1 for ads.
    let kind: UInt8
    /// The window, or 3 for the total.
    let window: UInt8
    let currency: UInt16
    let millionths: Int64
  }

  /// The number of the bundle id among those of the input; nil if the row has none.
  var bundle: Int?
  /// The number of the event among those that are counted; nil for others.
  var event: Int?
  /// The first call of Apple's API, in seconds since 1970.
  var firstCall: Int64?
  private(set) var entries: [Entry] = []

  /// The largest amount of a user that is read, in millionths.
  static let largestAmount: Int64 = 1_000_000_000_000_000

  private static let none: UInt16 = .max

  init() {}

  /// Reads the amounts and the first call of a row, with the numbers of currencies.
  mutating func read(_ record: SessionRecord, _ currencies: inout Numbered) throws(SessionDefect) {
    let fields: [(MetadataField, UInt8, UInt8)] = [
      (.revenue, 0, 3), (.revenue0, 0, 0), (.revenue1, 0, 1), (.revenue2, 0, 2),
      (.adRevenue, 1, 3), (.adRevenue0, 1, 0), (.adRevenue1, 1, 1), (.adRevenue2, 1, 2),
    ]
    for (field, kind, window) in fields {
      guard let text = record.texts[field] else { continue }
      guard case .object(let members) = try? JSONValue(parsing: Array(text.utf8)) else {
        throw SessionDefect("\(field.name) is \(text.quotedExcerpt), and no object of amounts by currency.")
      }
      for member in members {
        guard member.key.isCurrencyCode, let millionths = Self.millionths(member.value) else {
          throw SessionDefect("\(field.name) has \(member.key.quotedExcerpt), which is no amount in a currency.")
        }
        let currency = UInt16(clamping: currencies.number(member.key))
        entries.append(Entry(kind: kind, window: window, currency: currency, millionths: millionths))
      }
    }
    if let text = record.texts[.firstCall], let call = Int64(text), call > 0 {
      firstCall = call >= 1_000_000_000_000 ? call / 1000 : call
    }
  }

  /// Returns an amount in millionths; nil if it is no number, or too large. An amount below 0 is a refund.
  private static func millionths(_ value: JSONValue) -> Int64? {
    guard var digits = value.text ?? (value == .null ? nil : value.description) else { return nil }
    let isNegative = digits.hasPrefix("-")
    if isNegative { digits.removeFirst() }
    guard let amount = try? Amount(rounding: digits), let units = Int64(exactly: amount.units / 10),
      units <= largestAmount
    else { return nil }
    return isNegative ? -units : units
  }

  // MARK: - The row as bytes, for sorting

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12 + entries.count * 12)
    bytes.append(littleEndian: UInt16(clamping: bundle ?? Int(Self.none)))
    bytes.append(littleEndian: UInt16(clamping: event ?? Int(Self.none)))
    bytes.append(littleEndian: firstCall ?? 0)
    for entry in entries {
      bytes.append(entry.kind)
      bytes.append(entry.window)
      bytes.append(littleEndian: entry.currency)
      bytes.append(littleEndian: entry.millionths)
    }
    return bytes
  }

  init(_ bytes: [UInt8]) {
    func number(_ offset: Int) -> Int? {
      let value = bytes.integer(at: offset, as: UInt16.self)
      return value == Self.none ? nil : Int(value)
    }
    (bundle, event) = (number(0), number(2))
    let call = bytes.integer(at: 4, as: Int64.self)
    firstCall = call == 0 ? nil : call
    for offset in stride(from: 12, to: bytes.count, by: 12) {
      entries.append(
        Entry(
          kind: bytes[offset],
          window: bytes[offset + 1],
          currency: bytes.integer(at: offset + 2),
          millionths: bytes.integer(at: offset + 4)
        )
      )
    }
  }
}
