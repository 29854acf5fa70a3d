package import Base
internal import JSON
package import Signatures
internal import Tables

/// A file with payloads or with tokens: JSON Lines, one JSON value, or dictionaries as apps print them. An array has a record in
/// each element, which is read alone, so that an array may be as long as a file.
package struct AttributionFile {
  private let path: String
  private let bytes: [UInt8]

  /// The most bytes of a file, of a record, and of the text of a malformed record that is kept.
  package static let mostBytes = 1 << 30
  static let mostRecordBytes = 1 << 20
  private static let keptBytes = 4096
  private static let mostTokenBytes = 8192

  /// The file at a path with its content, of which a byte order mark is no part.
  package init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = Array(bytes.dropFirst(ByteOrderMark.length(in: bytes)))
  }

  /// Returns the SHA-256 of the content.
  package func digest() throws(LibcryptoFailure) -> String {
    try AttributionKey.digest([String(decoding: bytes, as: UTF8.self)])
  }

  /// A value of the file, or the reason why there is none.
  private struct Record {
    let line: Int
    var value: JSONValue?
    var defect = ""
    var isRepaired = false
    var raw: ArraySlice<UInt8> = []
  }

  private func forEach(_ body: (Record) throws(LibcryptoFailure) -> Void) throws(LibcryptoFailure) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let isBlank: (ArraySlice<UInt8>) -> Bool = { $0.allSatisfy(\.isWhitespace) }
    if let value = PrintedDictionary.swiftDictionary(in: bytes[...]) { return try body(Record(line: 1, value: value)) }
    if let elements = Self.elements(of: bytes[...], line: 1) {
      for element in elements { try read(element.text, line: element.line, body) }
      return
    }
    let first = lines.first { !isBlank($0) } ?? []
    if (try? JSONValue(parsing: Array(first))) == nil, bytes.count <= Self.mostRecordBytes {
      if let whole = try? JSONValue(parsing: bytes) {
        return try body(Record(line: 1, value: whole))
      }
      if try readDictionaries(body) { return }
    }
    for (index, line) in lines.enumerated() where !isBlank(line) {
      if let value = PrintedDictionary.swiftDictionary(in: line) {
        try body(Record(line: index + 1, value: value))
        continue
      }
      for element in Self.elements(of: line, line: index + 1) ?? [(line, index + 1)] {
        try read(element.text, line: element.line, body)
      }
    }
  }

  private func read(
    _ text: ArraySlice<UInt8>,
    line: Int,
    _ body: (Record) throws(LibcryptoFailure) -> Void
  ) throws(LibcryptoFailure) {
    var record = Record(line: line, value: nil, raw: text)
    if text.count > Self.mostRecordBytes {
      record.defect = "The record has more than \(Self.mostRecordBytes) bytes."
    } else {
      do throws(JSONDefect) { record.value = try JSONValue(parsing: Array(text)) } catch {
        record.defect = error.advice(in: Array(text))
      }
    }
    try body(record)
  }

  /// Returns the texts of the elements of an array with their lines; nil if the text is no array. The elements may be broken.
  private static func elements(of text: ArraySlice<UInt8>, line: Int) -> [(text: ArraySlice<UInt8>, line: Int)]? {
    var elements: [(ArraySlice<UInt8>, Int)] = []
    // The open element, if it has begun, and the number of open brackets before a byte.
    var (line, start, startLine) = (line, Int?.none, line)
    var (depth, isBegun, isInString, isEscaped) = (0, false, false, false)
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if depth == 0 {
        guard !byte.isWhitespace else { continue }
        guard !isBegun, byte == UInt8(ascii: "[") else { return nil }
        (depth, isBegun) = (1, true)
      } else if depth == 1, [UInt8(ascii: ","), UInt8(ascii: "]")].contains(byte) {
        if byte == UInt8(ascii: "]") { depth = 0 }
        guard let begun = start else {
          guard depth == 0, elements.isEmpty else { return nil }
          continue
        }
        elements.append((text[begun..<index], startLine))
        start = nil
      } else if start != nil || !byte.isWhitespace {
        if start == nil { (start, startLine) = (index, line) }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        guard depth > 0 else { return nil }
      }
    }
    return isBegun && depth == 0 ? elements : nil
  }

  /// Reads dictionaries as apps print them; returns false if the file begins with none.
  private func readDictionaries(_ body: (Record) throws(LibcryptoFailure) -> Void) throws(LibcryptoFailure) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard PrintedDictionary.isLikely(in: text) else { return false }
    var reader = PrintedDictionary(text)
    var (count, records): (Int, [Record]) = (0, [])
    while !reader.isAtEnd() {
      let line = reader.line
      if let value = reader.next() {
        count += 1
        records.append(Record(line: line, value: value, isRepaired: reader.isRepaired))
      } else {
        let raw = Array(reader.skip(from: line).utf8)
        records.append(Record(line: line, value: nil, defect: "Here no dictionary can be read.", raw: raw[...]))
      }
    }
    guard count > 0 else { return false }
    for record in records { try body(record) }
    return true
  }

  // MARK: - Payloads

  /// Returns the rows of all payloads. `isKnown` says of a key whether an earlier import has it.
  package func payloads(_ isKnown: (String) -> Bool) throws(LibcryptoFailure) -> [AttributionRow] {
    var rows: [AttributionRow] = []
    var numbered = NumberedRecords()
    var equal: [String: Int] = [:]
    var number = 0
    try forEach { record throws(LibcryptoFailure) in
      number += 1
      let envelope = record.value.map(Envelope.init)
      var digest = ""
      if let token = envelope?.token {
        digest = try AttributionKey.digest([token])
      } else if let received = envelope?.receivedAt, let payload = envelope?.payload {
        let identity = try AttributionKey.digest([received.description, payload.description])
        equal[identity, default: 0] += 1
        digest = try AttributionKey.digest([identity, "\(equal[identity, default: 1])"])
      } else {
        numbered.add(row: rows.count, number: number, line: record.line)
      }
      var row = row(record, envelope, digest)
      let defect = envelope.map { $0.defect ?? AttributionPayload.read($0.payload, into: &row) } ?? record.defect
      if let defect { malform(&row, record, defect) } else if record.isRepaired { row.flag(.repairedText) }
      rows.append(row)
    }
    try numbered.assignKeys(to: &rows, in: bytes, isKnown)
    return rows
  }

  /// Returns the keys that the records of this file have by their numbers, `count` of them now, in any reading of its lines.
  package func numberedKeys(_ count: Int) throws(LibcryptoFailure) -> Set<String> {
    let digest = try digest()
    var keys: Set<String> = []
    let lineCount = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    for number in 1...max(count, lineCount) {
      keys.insert(AttributionKey.key(try AttributionKey.digest([digest, "\(number)"])))
    }
    return keys
  }

  /// Reads all tokens. Returns the rows of records without one. `isKnown` says of a key whether an earlier import has it.
  package func tokens(
    _ isKnown: (String) -> Bool,
    _ body: (AttributionToken) -> Void
  ) throws(LibcryptoFailure) -> [AttributionRow] {
    var malformed: [AttributionRow] = []
    var numbered = NumberedRecords()
    var number = 0
    try forEach { record throws(LibcryptoFailure) in
      number += 1
      let envelope = record.value.map(Envelope.init)
      var digest = ""
      if let token = envelope?.token { digest = try AttributionKey.digest([token]) }
      var row = row(record, envelope, digest)
      guard let envelope, let token = envelope.token, envelope.defect == nil else {
        malform(&row, record, envelope.map { $0.defect ?? "The record has no token." } ?? record.defect)
        if envelope?.token == nil { numbered.add(row: malformed.count, number: number, line: record.line) }
        return malformed.append(row)
      }
      guard token.utf8.count <= Self.mostTokenBytes, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        malform(&row, record, "The token is too long, or has characters that no token has.")
        return malformed.append(row)
      }
      body(AttributionToken(text: token, row: row, receivedAt: envelope.receivedAt))
    }
    try numbered.assignKeys(to: &malformed, in: bytes, isKnown)
    return malformed
  }

  private func row(_ record: Record, _ envelope: Envelope?, _ digest: String) -> AttributionRow {
    var row = AttributionRow(key: AttributionKey.key(digest), .malformed)
    row[.receivedAt] = envelope?.receivedAt.map { .string($0.description) }
    row[.appID] = envelope?.appID.map { .integer($0) }
    if envelope?.token != nil { row[.tokenSHA256] = .string(digest) }
    row[.sourceFile] = .string(path)
    row[.sourceLine] = .integer(record.line)
    return row
  }

  private func malform(_ row: inout AttributionRow, _ record: Record, _ defect: String) {
    row.outcome = .malformed
    row[.detail] = .string(defect)
    let raw = record.raw.isEmpty ? Array((record.value?.description ?? "").utf8)[...] : record.raw
    let text = String(decoding: raw.prefix(Self.keptBytes), as: UTF8.self)
    if !text.isEmpty { row[.rawBody] = .string(text) }
  }
}

/// A token that is to be exchanged, with the cells of its row that are known.
package struct AttributionToken: Sendable {
  package let text: String
  /// The row, without a result.
  package let row: AttributionRow
  /// The time of receipt; nil if it is not known.
  package let receivedAt: Timestamp?
}

/// The tokens that are to be exchanged, each once.
package struct PendingTokens {
  /// The tokens with the numbers of their earlier requests, in the order of their first records.
  package private(set) var tokens: [(token: AttributionToken, attempts: Int64)] = []
  private var places: [String: Int] = [:]

  package init() {}

  /// Adds a token, unless the journal has its result. Of several records of a token the one that was received last counts.
  package mutating func add(_ token: AttributionToken, _ journal: AttributionJournal) {
    guard !journal.hasResult(of: token) else { return }
    if let place = places[token.row.key] {
      guard let time = token.receivedAt, tokens[place].token.receivedAt.map({ $0 < time }) ?? true else { return }
      tokens[place].token = token
    } else {
      places[token.row.key] = tokens.count
      tokens.append((token, journal.standings[token.row.key]?.attempts ?? 0))
    }
  }
}

/// A record with what the sender adds to a payload, or a payload alone.
private struct Envelope {
  private(set) var payload = JSONValue.null
  private(set) var receivedAt: Timestamp?
  private(set) var token: String?
  private(set) var appID: Int64?
  /// The reason for which the record cannot be used.
  private(set) var defect: String?

  init(_ record: JSONValue) {
    payload = record
    guard case .object(let members) = record else { return }
    let names = ["received_at", "token", "app_id", "payload"]
    guard members.contains(where: { names.contains($0.key) }) else { return }
    let rest = members.filter { !names.contains($0.key) }
    payload = record["payload"] ?? .object(rest)
    if case .string(let text) = payload, let inner = try? JSONValue(parsing: Array(text.utf8)) { payload = inner }
    if let text = record["token"]?.text.map({ $0[...].trimmed }), !text.isEmpty { token = String(text) }
    switch record["received_at"] {
    case nil, .null?: break
    case .string(let text)?:
      receivedAt = Timestamp(text)
      if receivedAt == nil { defect = "received_at is no time such as 2026-03-01T00:00:00Z." }
    default: defect = "received_at is no text."
    }
    guard let app = record["app_id"], app != .null else { return }
    let digits = app.text.map { $0.hasPrefix("id") ? $0.dropFirst(2) : $0[...] }
    appID = (app.integer ?? digits.flatMap { Int64($0) }).flatMap { $0 >= 0 ? $0 : nil }
    if appID == nil { defect = "app_id is no number of an app." }
  }
}
