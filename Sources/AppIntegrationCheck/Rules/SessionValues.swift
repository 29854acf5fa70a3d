internal import Base
internal import ConversionModel
internal import JSON

/// The parsed values of a session or an event. A value that cannot be parsed is nil, and has a defect.
struct SessionValues {
  /// Revenue by currency.
  typealias Total = [String: Amount]

  /// A value that its field cannot have, with the rule against it.
  struct Defect {
    let rule: ImplementationRule
    let values: String
  }

  private let texts: [MetadataField: String]
  /// The time of reception, in milliseconds since 1970.
  let receivedAt: Int64
  let event: String?
  let bundleID: String?
  let appVersion: String?
  /// The latest fine value, and the one before.
  private(set) var current: Int?
  private(set) var previous: Int?
  /// The first and the latest call of Apple's API, in seconds since 1970; nil also for 0, which means no call yet.
  private(set) var firstCall: Int64?
  private(set) var lastCall: Int64?
  /// The latest coarse values by window, and the ones before.
  private(set) var coarse: [Int?] = [nil, nil, nil]
  private(set) var previousCoarse: [Int?] = [nil, nil, nil]
  /// The times of the locks by window.
  private(set) var locks: [Int64?] = [nil, nil, nil]
  /// The totals of purchases and of ads, and those of each window.
  private(set) var revenue: Total?
  private(set) var adRevenue: Total?
  private(set) var revenues: [Total?] = [nil, nil, nil]
  private(set) var adRevenues: [Total?] = [nil, nil, nil]
  private(set) var defects: [Defect] = []
  /// Indicates that the app updates as for SKAdNetwork 3, with fine values that only rise.
  let isLegacy: Bool

  /// The event of an opened app.
  static let session = "__SESSION__"

  private static let windowFields = Set(
    MetadataField.coarse + MetadataField.previousCoarse + MetadataField.locks + MetadataField.revenues
      + MetadataField.adRevenues
  )

  init(_ record: SessionRecord) throws(SessionDefect) {
    texts = record.texts
    receivedAt = try record.receivedAt()
    (event, bundleID, appVersion) = (texts[.event], texts[.bundleID], texts[.appVersion])
    let isOld = texts[.osVersion].map(Self.isBeforeSKAdNetwork4) ?? false
    isLegacy = isOld || record.hasLegacyNames && Self.windowFields.isDisjoint(with: texts.keys)
    current = number(.currentValue, in: 0...63, .fineRange)
    previous = number(.previousValue, in: 0...63, .fineRange)
    firstCall = call(.firstCall)
    lastCall = call(.lastCall)
    for window in 0...2 {
      coarse[window] = number(MetadataField.coarse[window], in: 0...2, .coarseRange)
      previousCoarse[window] = number(MetadataField.previousCoarse[window], in: 0...2, .coarseRange)
      locks[window] = call(MetadataField.locks[window])
      revenues[window] = total(MetadataField.revenues[window])
      adRevenues[window] = total(MetadataField.adRevenues[window])
    }
    revenue = total(.revenue)
    adRevenue = total(.adRevenue)
  }

  func has(_ field: MetadataField) -> Bool { texts[field] != nil }

  /// Tells if a version of iOS is before 16.1, the first one with SKAdNetwork 4.
  private static func isBeforeSKAdNetwork4(_ version: String) -> Bool {
    let parts = version.split(separator: ".").prefix(2).map { Int($0) }
    guard let major = parts.first.flatMap({ $0 }) else { return false }
    return (major, (parts.count > 1 ? parts[1] : 0) ?? 0) < (16, 1)
  }

  private mutating func number(_ field: MetadataField, in range: ClosedRange<Int>, _ rule: ImplementationRule) -> Int? {
    guard let text = texts[field] else { return nil }
    guard let value = Int(text), range.contains(value) else {
      defects.append(Defect(rule: rule, values: "\(field.name) \(text.quotedExcerpt)"))
      return nil
    }
    return value
  }

  private mutating func call(_ field: MetadataField) -> Int64? {
    guard let text = texts[field] else { return nil }
    guard let value = Int64(text), value >= 0 else {
      defects.append(Defect(rule: .timestampOrder, values: "\(field.name) \(text.quotedExcerpt)"))
      return nil
    }
    guard value >= 1_000_000_000_000 else { return value == 0 ? nil : value }
    defects.append(Defect(rule: .timestampInMilliseconds, values: "\(field.name) \(value)"))
    return value / 1000
  }

  private mutating func total(_ field: MetadataField) -> Total? {
    guard let text = texts[field] else { return nil }
    var (total, isRight): (Total, Bool) = ([:], true)
    guard case .object(let members) = try? JSONValue(parsing: Array(text.utf8)) else {
      defects.append(Defect(rule: .revenueCurrency, values: "\(field.name) \(text.quotedExcerpt)"))
      return nil
    }
    for member in members {
      let digits =
        switch member.value {
        case .number(let text), .string(let text): text
        default: ""
        }
      guard let amount = try? Amount(rounding: digits), CurrencyCodes.all.contains(member.key) else {
        let found = "\(member.key.quotedExcerpt): \(member.value)".prefix(80)
        defects.append(Defect(rule: .revenueCurrency, values: "\(field.name) \(found)"))
        isRight = false
        continue
      }
      total[member.key] = amount
    }
    return isRight ? total : nil
  }
}
