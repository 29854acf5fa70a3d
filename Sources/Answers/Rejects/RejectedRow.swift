package import Analysis
internal import Base
internal import JSON
internal import SKAdNetwork
internal import Tables

/// A row of skan_rejects, as text for people.
package struct RejectedRow {
  private let row: JSONValue
  private let conflicts: Conflicts?

  /// Reads the row from a line of JSON. `conflicts` supplies the senders of first copies.
  package init(_ line: [UInt8], conflicts: Conflicts? = nil) {
    self.conflicts = conflicts
    row = (try? JSONValue(parsing: line)) ?? .null
  }

  /// The names of the columns with the bytes of a record.
  package static let bodies = ["raw_body", "raw_body_base64"]

  /// A line for each cell that is not null, then the raw body on one line. Bytes that are not text are escaped.
  package var text: String {
    var table = TextTable()
    for member in row.members ?? [] where member.value != .null && !Self.bodies.contains(member.key) {
      table.add(member.key, member.value.text ?? "\(member.value)")
    }
    if let conflicts, let key = firstOfConflict {
      let later = CopyOrigin(channel: row["channel"]?.text, forwarder: row["forwarder"]?.text)
      table.add("first_from", CopyOrigin.text(conflicts.origin(ofFirst: key)))
      table.add("later_from", CopyOrigin.text(later))
    }
    let body = row.rawBody.map { String(escaping: $0) } ?? ""
    return [table.text(), "  " + body].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The key of the first copy, if the reject is a copy with other unsigned values; else nil.
  package var firstOfConflict: String? {
    row["reject_code"]?.text == RejectCode.duplicateConflict.rawValue
      ? row["first_seen_postback_key"]?.text : nil
  }
}

extension String {
  /// Decodes UTF-8. Control characters, which a terminal would interpret, and bytes that are not UTF-8 are escaped.
  package init(escaping bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text.withControlCharactersEscaped
      return
    }
    var text = ""
    var input = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var position = 0
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        text += String(Unicode.UTF8.decode(encoded)).withControlCharactersEscaped
        position += encoded.count
      case .error(let length):
        for byte in bytes[position..<position + length] {
          text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        position += length
      case .emptyInput:
        self = text
        return
      }
    }
  }
}
