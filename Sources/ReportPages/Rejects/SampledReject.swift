internal import Answers
internal import Analysis
internal import Base
internal import JSON
internal import SKAdNetwork
internal import Tables

/// A reject of a report's sample, as the page's script reads it.
struct SampledReject {
  let json: JSONValue

  /// The columns of the page's table, in order; the others are shown below a row.
  static let columns = [
    "received_at", "reject_code", "reject_detail", "ad_network_id", "app_id", "forwarder", "transaction_id",
  ]

  /// The maximum number of characters in a cell of the page; the tables have the whole text.
  private static let longestCell = 4096

  /// Reads a row. `diagnoses` are texts by `raw_sha256`; `conflicts` supplies the senders of first copies.
  init(_ line: [UInt8], diagnoses: [String: String], _ conflicts: Conflicts) {
    let row = (try? JSONValue(parsing: line)) ?? .null
    let body = row.rawBody ?? []
    var cells: [JSONValue.Member] = []
    for member in row.members ?? [] where !RejectedRow.bodies.contains(member.key) && member.value != .null {
      cells.append(
        .init(member.key, .string(Self.cut((member.value.text ?? "\(member.value)").withControlCharactersEscaped)))
      )
    }
    if let key = RejectedRow(line).firstOfConflict {
      let first = CopyOrigin.text(conflicts.origin(ofFirst: key))
      cells.append(.init("first_from", .string(Self.cut(first.withControlCharactersEscaped))))
    }
    cells.append(.init("raw_body", .string(Self.cut(String(escaping: body)))))
    if let diagnosis = row["raw_sha256"]?.text.flatMap({ diagnoses[$0] }) {
      cells.append(.init("diagnosis", .string(Self.cut(diagnosis.withControlCharactersEscaped))))
    }
    if let signed = Self.signedText(of: body) { cells.append(.init("signed_text", .string(Self.cut(signed)))) }
    json = .object(cells)
  }

  /// The message that is signed for the postback with these bytes, with ⁞ for U+2063; nil if the bytes are not a
  /// postback.
  private static func signedText(of body: [UInt8]) -> String? {
    var parser = PostbackParser()
    var bytes = body + [UInt8](repeating: 0, count: JSONParser.padding)
    guard let postback = try? parser.parse(0..<body.count, of: &bytes) else { return nil }
    var message: [UInt8] = []
    postback.appendSignedMessage(.asSent, of: bytes, to: &message)
    return String(decoding: message, as: UTF8.self).replacing("\u{2063}", with: " ⁞ ").withControlCharactersEscaped
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count > longestCell ? String(text.prefix(longestCell)) + "… (cut; postback rejects --show has all)" : text
  }
}
