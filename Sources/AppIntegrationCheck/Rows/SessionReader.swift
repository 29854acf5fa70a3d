internal import Base
internal import JSON
package import PostbackPipeline

/// Reads sessions and events from records of JSON Lines or CSV. A file whose first record is no JSON object is CSV, and that
/// record is its header.
package struct SessionReader: ~Copyable {
  private var parser = JSONParser()
  private var document = JSONDocument()
  private var path: String?
  /// The columns of the current file if it is CSV.
  private var header: [String]?
  /// Indicates that the current file is JSON Lines.
  private var isJSON = false

  package init() {}

  /// Reads all records of a batch. `body` gets each record, or the reason for which it is none, with its path and line.
  package mutating func read(
    _ batch: RawBatch,
    _ body: (Result<SessionRecord, SessionDefect>, String, Int) throws -> Void
  ) rethrows {
    var bytes = batch.bytes
    let count = bytes.count
    var index = 0
    for origin in batch.origins {
      if path != origin.input.path { (path, header, isJSON) = (origin.input.path, nil, false) }
      for record in batch.records[index..<index + origin.recordCount] {
        bytes.removeLast(bytes.count - count)
        let result = Result { () throws(SessionDefect) in try read(record, of: &bytes) }
        switch result {
        case .success(let session?): try body(.success(session), origin.input.path, record.line)
        case .success(nil): break
        case .failure(let defect): try body(.failure(defect), origin.input.path, record.line)
        }
      }
      index += origin.recordCount
    }
  }

  /// Returns the session in a record; nil for a header.
  private mutating func read(_ record: Record, of bytes: inout [UInt8]) throws(SessionDefect) -> SessionRecord? {
    switch record.defect {
    case .tooLarge(let count, _): throw SessionDefect("The row has \(count) bytes, more than a row can have.")
    case .truncatedInput(let reason): throw SessionDefect(reason)
    case .byteOrderMark: return nil
    case nil: break
    }
    let range = record.bytes.indices
    let isObject = bytes[range].first { !$0.isWhitespace } == UInt8(ascii: "{")
    if header == nil, isObject { isJSON = true }
    var session: SessionRecord
    if isJSON {
      guard isObject else { throw SessionDefect("The line is no JSON object.") }
      session = try object(range, of: &bytes)
    } else {
      guard let row = try csvRow(bytes[range]) else { return nil }
      session = row
    }
    session.line = UInt32(clamping: record.line)
    return session
  }

  private mutating func object(_ range: Range<Int>, of bytes: inout [UInt8]) throws(SessionDefect) -> SessionRecord {
    do throws(JSONDefect) {
      try parser.parse(range, of: &bytes, into: &document)
    } catch {
      throw SessionDefect("The line is not JSON: \(error.advice(in: Array(bytes[range])))")
    }
    var session = SessionRecord()
    var extras: [UInt8]?
    for member in document.members where member.value.kind != .null {
      let name = String(decoding: bytes[member.key.text.indices], as: UTF8.self)
      if name == "extras", member.value.kind == .object {
        extras = Array(bytes[member.value.text.indices])
      } else {
        try session.add(name, String(decoding: bytes[member.value.text.indices], as: UTF8.self))
      }
    }
    // A row of s2s_events has the parameters here that its columns cannot have.
    if let extras, case .object(let members) = try? JSONValue(parsing: extras) {
      for member in members { try session.add(member.key, member.value.text ?? member.value.description) }
    }
    return session
  }

  private mutating func csvRow(_ text: ArraySlice<UInt8>) throws(SessionDefect) -> SessionRecord? {
    guard (try? UTF8Span(validating: Array(text).span)) != nil else { throw SessionDefect("The line is not UTF-8.") }
    var records = CSVRecords(Array(text))
    guard let record = records.next(), record.fields != [""] else { return nil }
    if let defect = record.defect { throw SessionDefect("\(defect) Double the quotes inside a quoted field.") }
    guard let header else {
      header = record.fields
      guard record.fields.contains(where: { MetadataField.named($0) != nil }) else {
        throw SessionDefect("The first line is neither a JSON object nor a header with a known column.")
      }
      return nil
    }
    guard record.fields.count == header.count else {
      throw SessionDefect("The row has \(record.fields.count) fields, and the header has \(header.count).")
    }
    var session = SessionRecord()
    for (name, field) in zip(header, record.fields) { try session.add(name, field) }
    return session
  }
}
