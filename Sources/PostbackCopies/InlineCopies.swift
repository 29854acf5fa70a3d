internal import TableReading

extension InlineValues {
  /// The number of bytes of a record before its content: those of the time.
  static let contentStart = 8

  /// The values of a copy that was received at a time, as bytes: the time, so that the order of records is that of the times,
  /// and an unknown one is last; the values that are not texts; and then each text with its length before it.
  package func record(receivedAt: Int64?) -> [UInt8] {
    Self.recordStart(receivedAt: receivedAt ?? .max) + bytes
  }

  /// The values of a copy as bytes, without the time; empty if there are none.
  var content: [UInt8] { hasCampaign || forwardedAt != nil || isTest ? bytes : [] }

  /// The time in a record; the greatest number if it is not known.
  static func recordStart(receivedAt: Int64) -> [UInt8] {
    let time = UInt64(bitPattern: receivedAt) ^ 1 << 63
    return (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
  }

  private var bytes: [UInt8] {
    var record: [UInt8] = []
    record.append(UInt8(hasWrongTime ? 1 : 0) | UInt8(isTest ? 2 : 0))
    record.append(littleEndian: forwardedAt ?? .min)
    for field in Field.allCases {
      record.append(littleEndian: self[field].map { UInt32($0.utf8.count) } ?? .max)
      record += self[field]?.utf8 ?? "".utf8
    }
    return record
  }

  /// Joins the records of the copies of a postback: the campaign, the ad group and the creative, each with its name, and the time
  /// of forwarding are those of the first copy that has them. The postback is a test if a copy says so.
  package init(ofCopies records: [[UInt8]]) {
    self.init()
    for record in records.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let copy = InlineValues(record[...])
      for level in 0..<Field.allCases.count / 2 {
        let fields = Field.allCases[2 * level...2 * level + 1]
        guard fields.allSatisfy({ self[$0] == nil }) else { continue }
        for field in fields { if let value = copy[field] { set(field, value) } }
      }
      forwardedAt = forwardedAt ?? copy.forwardedAt
      isTest = isTest || copy.isTest
      hasWrongTime = hasWrongTime || copy.hasWrongTime
    }
  }

  /// Reads the bytes of a record.
  init(_ record: ArraySlice<UInt8>) {
    let record = record.dropFirst(Self.contentStart)
    hasWrongTime = record.integer(at: 0, as: UInt8.self) & 1 != 0
    isTest = record.integer(at: 0, as: UInt8.self) & 2 != 0
    let time: Int64 = record.integer(at: 1)
    forwardedAt = time == .min ? nil : time
    var place = record.startIndex + 9
    for field in Field.allCases {
      let count: UInt32 = record[place...].integer(at: 0)
      place += 4
      guard count != .max else { continue }
      set(field, String(decoding: record[place..<place + Int(count)], as: UTF8.self))
      place += Int(count)
    }
  }
}
