internal import Base
package import JSON
internal import PostbackLookup
internal import Tables

extension FoundAnswer {
  /// The answer as JSON.
  package var json: JSONValue {
    .object([
      .init("id", .string(id)),
      .init("given", .optional(pasted?.json)),
      .init("postbacks", .array(postbacks.map(json))),
      .init("rejects", .array(others.map { json($0, beside: nil) })),
      .init("omitted_rejects", .integer(omitted)),
      .init(
        "search",
        .object([
          .init("parts", .integer(found.search.parts)), .init("indexed", .integer(found.search.indexed)),
          .init("scanned", .integer(found.search.scanned)), .init("missing", .texts(found.search.missing)),
        ])
      ),
    ])
  }

  private func json(_ postback: Postback) -> JSONValue {
    let accepted = FoundCopy(accepted: postback.row)
    var members: [JSONValue.Member] = [.init("postback_key", postback.row[.postbackKey] ?? .null)]
    members += place(postback.row)
    members += [
      .init("row", postback.row.cells),
      .init("signed_columns", .texts(FoundCopy.columns.map(\.rawValue).filter(signed(postback)))),
      .init("signed_text", .text(postback.row.signedText)),
      .init("raw", raw(postback.row)),
      .init("copies", .array(postback.copies.map { json($0, beside: accepted) })),
      .init("omitted_copies", .integer(postback.omitted)),
      .init("events", .array(postback.events.map(\.cells))),
    ]
    for (name, rows) in postback.derived.sorted(by: { $0.key < $1.key }) {
      members.append(.init(name, .array(rows.map(\.cells))))
    }
    members.append(.init("deliveries", postback.deliveries.map { .array($0) } ?? .null))
    return .object(members)
  }

  /// A copy, with the values that differ from those of the accepted one.
  private func json(_ copy: FoundCopy, beside accepted: FoundCopy?) -> JSONValue {
    var members: [JSONValue.Member] = [.init("verdict", .string(copy.verdict))]
    members += place(copy.row)
    members += [
      .init("received_at", copy.row[.receivedAt] ?? .null), .init("channel", copy.row[.channel] ?? .null),
      .init("forwarder", copy.row[.forwarder] ?? .null),
    ]
    if let accepted {
      let signed = accepted.row.signedColumns
      let changes = accepted.differences(to: copy).map { name in
        JSONValue.object([
          .init("column", .string(name)), .init("signed", .bool(signed.contains(name))),
          .init("accepted", .text(accepted.values[name])),
          .init("here", .text(copy.values[name])),
        ])
      }
      members.append(.init("changes", .array(changes)))
    }
    guard let explanation = copy.explanation else { return .object(members) }
    members += [
      .init("row", copy.row.cells), .init("raw", raw(copy.row)),
      .init("explanation", explanation.json),
    ]
    return .object(members)
  }

  private func signed(_ postback: Postback) -> (String) -> Bool {
    let columns = postback.row.signedColumns
    return { columns.contains($0) }
  }

  private func place(_ row: FoundRow) -> [JSONValue.Member] {
    [
      .init("table", .string(row.table)), .init("file", .string(row.path)),
      .init("offset", .integer(row.offset)), .init("line", .integer(row.line)),
    ]
  }

  /// The bytes that are kept, in base64.
  private func raw(_ row: FoundRow) -> JSONValue {
    row.raw.map { .string(String(decoding: Base64.standard.encode($0), as: UTF8.self)) } ?? .null
  }
}
