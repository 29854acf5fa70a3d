internal import Base
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import Signatures
internal import Tables

/// The lines that record mode writes.
struct RecordText {
  private static let keyMember = Array("{\"postback_key\":".utf8)
  private static let keyEnd = Array("\",".utf8)

  /// The lines so far.
  private(set) var bytes: [UInt8] = []

  /// Room for some bytes.
  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Appends a row of a table as a line: `row` is the JSON of the row.
  mutating func append(row: some Collection<UInt8>, table: String) {
    bytes += Array("{\"table\":\"\(table)\",\"row\":".utf8)
    bytes += row
    bytes += Array("}\n".utf8)
  }

  /// Appends rows of a table as a block: a line with their number and the sizes of their forms, and then the forms.
  mutating func append(block rows: EncodedRows, table: String) {
    bytes += Array("{\"table\":\"\(table)\",\"rows\":\(rows.count),\"jsonl_bytes\":\(rows.jsonLines.count)".utf8)
    bytes += Array(",\"csv_bytes\":\(rows.csv.count)}\n".utf8)
    bytes += rows.jsonLines
    bytes += rows.csv
  }

  /// Appends the row of `seen_keys` of an accepted postback as CSV.
  static func append(_ seen: RecentIndex.Seen, asCSV csv: inout [UInt8]) {
    csv += Array("\(seen.key),\(seen.content.digest),\(seen.content.unsigned),".utf8)
    csv += Array("\(seen.number.map(String.init) ?? "")\r\n".utf8)
  }

  /// Appends the row of `seen_keys` of an accepted postback.
  mutating func append(_ seen: RecentIndex.Seen) {
    bytes += Array("{\"table\":\"seen_keys\",\"row\":{\"postback_key\":\"\(seen.key)\",\"seen\":true".utf8)
    appendCompared(seen)
    bytes += Array("}}\n".utf8)
  }

  /// Appends the line of a record, with its key if it is a postback.
  mutating func append(_ key: PostbackKey?, _ record: RecordPlace, text: Span<UInt8>, _ defect: FramingDefect?) {
    bytes += Self.keyMember
    if let key {
      bytes.append(UInt8(ascii: "\""))
      bytes.append(addingCapacity: PostbackKey.length) { key.write(to: &$0) }
      bytes += Self.keyEnd
    } else {
      bytes += Array("null,".utf8)
    }
    append(record)
    switch defect {
    case .tooLarge(let byteCount, let digest):
      append(.byteCount)
      bytes.appendDecimal(Int64(byteCount))
      append(.sha256)
      let digest = digest.bytes
      bytes.append(UInt8(ascii: "\""))
      bytes.appendHexadecimal(digest.span)
      bytes.append(UInt8(ascii: "\""))
    case .truncatedInput(let reason):
      append(.truncated)
      bytes.appendJSONString(reason)
    case .byteOrderMark:
      append(.byteOrderMark)
      bytes += Array("true".utf8)
    case nil: break
    }
    if (try? UTF8Span(validating: text)) != nil {
      append(.record)
      bytes.appendJSONString(text)
    } else {
      append(.recordBase64)
      var raw: [UInt8] = []
      raw.append(copying: text)
      bytes.appendJSONString(Base64.standard.encode(raw[...]).span)
    }
    end()
  }

  private mutating func append(_ member: RecordMember) { bytes += Array(",\"\(member.rawValue)\":".utf8) }

  private mutating func end() { bytes += Array("}\n".utf8) }

  /// Appends the position.
  private mutating func append(_ record: RecordPlace) {
    bytes += record.file
    bytes += Array(",\"source_line\":\(record.line)".utf8)
    if record.index > 0 { bytes += Array(",\"source_index\":\(record.index)".utf8) }
    bytes += record.modified
  }

  private mutating func appendCompared(_ seen: RecentIndex.Seen) {
    bytes += Array(",\"content_digest\":\(seen.content.digest),\"unsigned_fields\":\(seen.content.unsigned)".utf8)
    bytes += Array(",\"unsigned_number\":\(seen.number.map(String.init) ?? "null")".utf8)
  }
}

/// The position of a record, as lines give it.
struct RecordPlace {
  /// The member for the file.
  let file: [UInt8]
  /// The member for the time of the file's last modification, with a comma before it; empty if it is not known.
  let modified: [UInt8]
  /// The line in which the record begins.
  var line = 0
  /// The place of the record among those that begin on the same line, from 0.
  var index: Int64 = 0

  /// The positions in an input. The file has the name of its path where no other is given.
  init(_ input: InputFile, name: String? = nil) {
    var file = Array("\"source_file\":".utf8)
    file.appendJSONString(name ?? input.path)
    self.file = file
    let modified = input.modified.map { Timestamp(milliseconds: $0) }
    self.modified = modified.map { Array(",\"file_modified_at\":\"\($0)\"".utf8) } ?? []
  }
}
