internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures
internal import Tables

/// A session or an event as a row of `s2s_events`.
struct SessionEventRow {
  private var members: [JSONValue.Member] = []

  /// The names of device ids in small letters, of which only the SHA-256 is kept.
  private static let deviceNames: Set<String> = [
    "idfa", "idfv", "device", "device_id", "sdid", "custom_user_id", "aifa", "andi", "asid", "amid", "oaid",
  ]
  private static let nilID = "00000000-0000-0000-0000-000000000000"

  /// Creates the row of an object as it was sent, without the other members of `PersonalMember`.
  init(_ sent: [JSONValue.Member], receivedAt: Timestamp) throws(LibcryptoFailure) {
    var values: [String: JSONValue] = [:]
    var extras: [JSONValue.Member] = []
    let columns = Dictionary(uniqueKeysWithValues: Table.sessionEvents.columns.map { ($0.name.rawValue, $0) })
    for member in sent where member.value != .null && member.key != ColumnName.receivedAt.rawValue {
      var value = member.value
      if Self.deviceNames.contains(member.key.lowercased()) {
        value = try Self.hashed(value)
      } else if PersonalMember.contains(member.key.utf8) {
        continue
      }
      if member.key != ColumnName.extras.rawValue, let column = columns[member.key],
        let fitting = column.type.fitting(value)
      {
        values[member.key] = fitting
      } else {
        extras.append(JSONValue.Member(key: member.key, value: value))
      }
    }
    values[ColumnName.receivedAt.rawValue] = .string(receivedAt.description)
    if !extras.isEmpty { values[ColumnName.extras.rawValue] = .object(extras) }
    members = Table.sessionEvents.columnNames.map { JSONValue.Member(key: $0, value: values[$0] ?? .null) }
  }

  /// Appends the row as a line of JSON.
  func append(to lines: inout [UInt8]) {
    lines += JSONValue.object(members).description.utf8
    lines.append(UInt8(ascii: "\n"))
  }

  /// Returns the first 80 bits of the SHA-256 of an id in small letters. An empty id, and the one of devices without
  /// consent, stay empty.
  private static func hashed(_ value: JSONValue) throws(LibcryptoFailure) -> JSONValue {
    let id = (value.text ?? value.description).lowercased()
    if id.isEmpty || id == nilID { return .string("") }
    var hash = try SHA256()
    let bytes = try hash.digest(of: Array(id.utf8).span).bytes
    var digits: [UInt8] = []
    for index in 0..<10 {
      digits.append(.hexadecimalDigit(bytes[index] >> 4))
      digits.append(.hexadecimalDigit(bytes[index] & 15))
    }
    return .string(String(decoding: digits, as: UTF8.self))
  }
}

extension ColumnType {
  /// Returns a value that was sent as a value of the column; nil if the column cannot have it. Numbers may be sent as
  /// texts, and objects as the text of their JSON, as apps store them.
  fileprivate func fitting(_ value: JSONValue) -> JSONValue? {
    switch (self, value) {
    case (.text, .string): value
    case (.text, .number(let digits)): .string(digits)
    case (.integer(let range), .number(let digits)), (.integer(let range), .string(let digits)):
      Int64(digits).flatMap { range.contains($0) ? .integer($0) : nil }
    case (.object, .object(let members)): Self.isOfAmounts(members) ? value : nil
    case (.object, .string(let text)):
      (try? JSONValue(parsing: Array(text.utf8))).flatMap { parsed in
        guard case .object(let members) = parsed, Self.isOfAmounts(members) else { return nil }
        return parsed
      }
    default: nil
    }
  }

  /// Indicates that an object has amounts, by currency, and nothing that is nested.
  private static func isOfAmounts(_ members: [JSONValue.Member]) -> Bool {
    !members.isEmpty
      && members.allSatisfy { member in
        switch member.value {
        case .number, .string: true
        case .null, .bool, .array, .object: false
        }
      }
  }
}
